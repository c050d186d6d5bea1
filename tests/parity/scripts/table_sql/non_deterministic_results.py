# parity: any order
from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE")
env.execute_sql("""CREATE TEMPORARY VIEW sales AS
    SELECT * FROM (VALUES ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3)) AS v (k, s, i)""")
for name, key in (("by_k", ", PRIMARY KEY (k) NOT ENFORCED"), ("by_n", ", PRIMARY KEY (n) NOT ENFORCED"), ("all_", "")):
    env.execute_sql(
        f"CREATE TABLE {name} (k STRING, s STRING, n BIGINT{key}) WITH ('connector' = 'print', 'print-identifier' = '{name}')"
    )
by_k = "SELECT k, MAX(s) AS s, COUNT(*) AS n FROM sales GROUP BY k"
wild = f"SELECT k, SUBSTR(UUID(), 1, 0) AS s, n FROM ({by_k})"


def attempt(name, run):
    try:
        print(name, run())
    except Exception as error:
        said = str(error)
        known = ("can not satisfy the determinism requirement", "There exists non deterministic function")
        print(name, next((each for each in known if each in said), "fails"))


def rows(query):
    with env.execute_sql(query).collect() as found:
        return len(list(found))


attempt("collected", lambda: rows(wild))
attempt("collected, tame", lambda: rows(by_k))
attempt("condition", lambda: rows(f"SELECT k, n FROM ({by_k}) WHERE n + RAND() > 1"))
attempt("rows", lambda: rows("SELECT k, UUID() FROM sales"))
for sink, more in (("by_k", ""), ("by_n", " ON CONFLICT DO DEDUPLICATE"), ("all_", "")):
    for name, query in (("wild", wild), ("tame", by_k)):
        text = f"INSERT INTO {sink} {query}{more}"
        attempt(f"{sink} {name}", lambda text=text: env.execute_sql(text).wait())
