import os

from pyflink.table import EnvironmentSettings, TableEnvironment

SAID = (
    "requires primary key in versioned table",
    "no row time attribute can be found",
    "Processing-time temporal join is not supported yet",
    "join key in Temporal Table Join can not be empty",
    "only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field",
    "requires time attribute in the left table",
    "expects Timestamp type but is",
    "requires same rowtime type in left table and versioned table",
    "time attribute type, but is",
)
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
open("o.csv", "w").close()
WITH = f"WITH ('connector' = 'filesystem', 'path' = '{os.path.abspath('o.csv')}', 'format' = 'csv')"
MARK, KEY = "WATERMARK FOR ts AS ts", "PRIMARY KEY (cur) NOT ENFORCED"
COLUMNS = "id INT, cur STRING, ts TIMESTAMP(3), p AS PROCTIME()"
for name, columns in {
    "o": f"{COLUMNS}, {MARK}",
    "unmarked": COLUMNS,
    "zoned": f"id INT, cur STRING, t0 TIMESTAMP(3), ts AS CAST(t0 AS TIMESTAMP_LTZ(3)), {MARK}",
    "h": f"{COLUMNS}, {MARK}",
    "keyed": f"{COLUMNS}, {MARK}, {KEY}",
    "untimed": f"{COLUMNS}, {KEY}",
    "pair": f"{COLUMNS}, {MARK}, PRIMARY KEY (cur, id) NOT ENFORCED",
}.items():
    env.execute_sql(f"CREATE TABLE {name} ({columns}) {WITH}")
LAST = "SELECT {} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY {} DESC) AS n FROM h) WHERE n {} 1"
env.execute_sql(f"CREATE VIEW v AS {LAST.format('cur, id, ts', 'ts', '=')}")
env.execute_sql(f"CREATE VIEW no_time AS {LAST.format('cur, id', 'ts', '=')}")
env.execute_sql(f"CREATE VIEW by_proctime AS {LAST.format('cur, id, p', 'p', '=')}")
env.execute_sql("CREATE VIEW other_key AS SELECT UPPER(cur) AS cur, id, ts FROM v")


def attempt(step, text):
    try:
        step(text)
        return "is fine"
    except Exception as error:
        return next((part for part in SAID if part in str(error)), "fails")


def show(text):
    print(text)
    print("  explained:", attempt(env.explain_sql, text))
    print("  planned:", "is fine" if attempt(env.sql_query, text) == "is fine" else "fails")


JOIN = "SELECT o.id FROM {0} JOIN {1} FOR SYSTEM_TIME AS OF {2} AS r ON {3}"
for right in ("v", "h", "keyed", "untimed", "unmarked", "pair", "no_time", "by_proctime", "other_key"):
    for time in ("o.ts", "o.p"):
        show(JOIN.format("o", right, time, "o.cur = r.cur"))
for condition in (
    "r.cur = 'a'", "o.id < r.id", "o.id = r.id", "TRUE", "UPPER(o.cur) = UPPER(r.cur)", "o.cur = r.cur AND o.id = r.id",
    "o.cur = r.cur OR o.id = r.id", "o.cur || 'x' = r.cur",
):  # fmt: skip
    show(JOIN.format("o", "v", "o.ts", condition))
    show(JOIN.format("o", "pair", "o.ts", condition))
for time in (
    "o.ts + INTERVAL '1' SECOND",
    "r.ts",
    "o.cur",
    "o.nope",
    "CAST(o.ts AS TIMESTAMP(3))",
    "TIMESTAMP '2024-01-01 00:00:00'",
):
    show(JOIN.format("o", "v", time, "o.cur = r.cur"))
show(JOIN.format("unmarked AS o", "v", "o.ts", "o.cur = r.cur"))
show(JOIN.format("zoned AS o", "v", "o.ts", "o.cur = r.cur"))
for kind in ("RIGHT", "FULL"):
    show(JOIN.replace("JOIN", f"{kind} JOIN").format("o", "v", "o.ts", "o.cur = r.cur"))
show("SELECT * FROM v FOR SYSTEM_TIME AS OF TIMESTAMP '2024-01-01 00:00:00'")
show("SELECT o.id FROM o, v FOR SYSTEM_TIME AS OF o.ts AS r WHERE o.cur = r.cur")
show("SELECT o.id FROM o JOIN (SELECT * FROM v) FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur")
show("SELECT o.id FROM o JOIN LATERAL TABLE(rates(o.ts)) AS r ON o.cur = r.cur")
joined = "SELECT o.ts AS ts, r.ts AS rt FROM o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
for time in ("ts",):
    show(
        f"SELECT COUNT(*) FROM TABLE(TUMBLE(({joined}), DESCRIPTOR({time}), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
    )
batch = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
for name in ("o", "keyed"):
    batch.execute_sql(f"CREATE TABLE {name} ({COLUMNS}, {MARK}{', ' + KEY if name == 'keyed' else ''}) {WITH}")
for time in ("o.ts", "o.p"):
    print(
        "batch",
        "is fine"
        if attempt(batch.explain_sql, JOIN.format("o", "keyed", time, "o.cur = r.cur")) == "is fine"
        else "fails",
    )
