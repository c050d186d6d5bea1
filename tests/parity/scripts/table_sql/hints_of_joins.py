from pyflink.table import EnvironmentSettings, TableEnvironment

SAID = (
    "cannot match the name of input tables or views",
    "expecting at least one table or view specified in hint",
    "Invalid list options in STATE_TTL hint",
    "expecting at least one key-value options",
    "Invalid STATE_TTL hint value",
    "Invalid list options in LOOKUP hint",
    "incomplete required option",
    "retry options can be both null or all not null",
    "only 'lookup_miss' is supported currently",
    "should be positive integer",
    "Could not parse value",
)
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("CREATE VIEW t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) AS t (x, y)")
env.execute_sql("CREATE VIEW u AS SELECT * FROM (VALUES (1, 'd'), (3, 'e')) AS u (x, z)")


def show(hint, rest="t.x, z FROM t JOIN u ON t.x = u.x"):
    text = f"SELECT /*+ {hint} */ {rest}"
    print(text)
    try:
        with env.execute_sql(text).collect() as rows:
            print("  ", sorted(str(row) for row in rows))
    except Exception as error:
        print("  ", next((part for part in SAID if part in str(error)), "fails"))


for name in ("BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP", "MULTI_JOIN", "NOPE"):
    for args in ("(t)", "(u)", "(t, u)", "(x)", "(t, x)", "", "()", "('t' = 'u')"):
        show(name + args)
    show(f"{name}(a)", "a.x, z FROM t AS a JOIN u ON a.x = u.x")
    show(f"{name}(t)", "a.x, z FROM t AS a JOIN u ON a.x = u.x")
for args in (
    "'t' = '1d'",
    "'t' = '1d', 'u' = '2 h'",
    "'x' = '1d'",
    "'t' = 'x'",
    "'t' = '0s'",
    "t",
    "",
    "'t' = '1d', 't' = '2d'",
    "'t' = '-1s'",
):
    show(f"STATE_TTL({args})")
    show(f"STATE_TTL({args})", "x, COUNT(*) FROM t GROUP BY x")
    show(f"STATE_TTL({args})", "a.x, z FROM t AS a LEFT JOIN u ON a.x = u.x")
RETRY = "'retry-predicate' = '{}', 'retry-strategy' = '{}', 'fixed-delay' = '{}', 'max-attempts' = '{}'"
for args in (
    "'table' = 't'", "'table' = 'x'", "'async' = 'true'", "t", "", "'table' = 't', 'async' = 'maybe'", "'table' = 't', 'nope' = '1'",
    "'table' = 't', 'retry-predicate' = 'lookup_miss'", "'table' = 't', 'output-mode' = 'nope'", "'table' = 't', 'capacity' = 'x'",
    *("'table' = 't', " + RETRY.format(*each) for each in (
        ("lookup_miss", "fixed_delay", "10ms", "2"), ("nope", "fixed_delay", "10ms", "2"), ("lookup_miss", "nope", "10ms", "2"),
        ("lookup_miss", "fixed_delay", "x", "2"), ("lookup_miss", "fixed_delay", "10ms", "0"), ("lookup_miss", "FIXED_DELAY", "1 s", "3"),
    )),
):  # fmt: skip
    show(f"LOOKUP({args})")
show("BROADCAST(t), STATE_TTL('u' = '1d')")
show("BROADCAST(t) STATE_TTL('u' = '1d')")
show("BROADCAST(t)", "x FROM t")
show("BROADCAST(s)", "s.x, z FROM (SELECT * FROM t) AS s JOIN u ON s.x = u.x")
