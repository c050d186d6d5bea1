"""SIMILAR TO with an escape character."""

from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
values = ", ".join(f"('{each}')" for each in ("a%", "ab", "a_c", "a|b", "a\\b", "a!b", "(a)", "a"))
t_env.execute_sql(f"CREATE TEMPORARY VIEW t AS SELECT * FROM (VALUES {values}) AS v(b)")
for pattern in (
    "'a!%' ESCAPE '!'", "'a!_c' ESCAPE '!'", "'a!|b' ESCAPE '!'", "'a!!b' ESCAPE '!'", "'!(a!)' ESCAPE '!'",
    "'a\\%' ESCAPE '\\'", "'(a|b)%' ESCAPE '!'", "'[!%a]%' ESCAPE '!'", "'a#%%' ESCAPE '#'", "'a[!|!!]b' ESCAPE '!'",
):  # fmt: skip
    for word in ("SIMILAR TO", "NOT SIMILAR TO"):
        with t_env.execute_sql(f"SELECT b FROM t WHERE b {word} {pattern}").collect() as rows:
            print(word, pattern, sorted(str(row) for row in rows), flush=True)
for pattern in ("'a!b' ESCAPE '!'", "'a!' ESCAPE '!'", "'a!%' ESCAPE '!!'", "'a!%' ESCAPE ''"):
    try:
        t_env.execute_sql(f"SELECT b FROM t WHERE b SIMILAR TO {pattern}").print()
    except Exception:
        print(pattern, "is refused", flush=True)
