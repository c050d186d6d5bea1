# parity: any order
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("o.csv", "w") as file:
    file.write("".join(f"{n},{'ab'[n % 2]},{n % 3},{n * 10},2024-01-01 00:00:{n:02}\n" for n in range(40)))
with open("h.csv", "w") as file:
    file.write("".join(f"{'ab'[n // 3 % 2]},{n % 3},{n * 100},2024-01-01 00:00:{n * 3:02}.5\n" for n in range(14)))
WITH = "WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv')"
MARK = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND"
o, h = (WITH.format(os.path.abspath(f"{name}.csv")) for name in "oh")
env.execute_sql(f"CREATE TABLE o (id INT, a STRING, b INT, n INT, {MARK}) {o}")
env.execute_sql(f"CREATE TABLE h (a STRING, b INT, v INT, {MARK}) {h}")
env.execute_sql(f"CREATE TABLE k (a STRING, b INT, v INT, {MARK}, PRIMARY KEY (a, b) NOT ENFORCED) {h}")
FIRST = "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY ts DESC) AS n FROM h) WHERE n = 1"
env.execute_sql(f"CREATE VIEW pairs AS {FIRST.format('a, b')}")
env.execute_sql(f"CREATE VIEW by_b AS {FIRST.format('b')}")


def show(text):
    print(text)
    try:
        with env.execute_sql(text).collect() as rows:
            for row in sorted(str(row) for row in rows):
                print(row)
    except Exception:
        print("fails")


JOIN = "SELECT o.id, r.v, r.ts FROM o {} JOIN {} FOR SYSTEM_TIME AS OF o.ts AS r ON {}"
for table in ("k", "pairs"):
    for kind in ("", "LEFT"):
        show(JOIN.format(kind, table, "o.a = r.a AND o.b = r.b"))
    show(JOIN.format("LEFT", table, "o.a = r.a AND r.b = o.b AND o.n * 3 < r.v"))
    show(JOIN.format("LEFT", table, "o.b = r.b AND LOWER(o.a) = r.a"))
    show(JOIN.format("LEFT", table, "MOD(o.id, 3) = r.b AND 'a' || '' = r.a AND o.a = r.a"))
    show(JOIN.format("LEFT", table, "o.b = r.b"))
show(JOIN.format("LEFT", "by_b", "o.b = r.b"))
show(JOIN.format("LEFT", "by_b", "o.b = r.b AND o.a = r.a"))
show(JOIN.format("LEFT", "by_b", "o.b = r.b AND (o.a = r.a OR r.v > 500)"))
show(f"SELECT v, COUNT(*) FROM ({JOIN.format('', 'pairs', 'o.a = r.a AND o.b = r.b')}) GROUP BY v")
show("SELECT id, v FROM o JOIN pairs FOR SYSTEM_TIME AS OF o.ts USING (a, b) WHERE v > 300 AND id < 30")
show(
    "SELECT a.id, r.v FROM (SELECT id, a, b, ts FROM o WHERE MOD(id, 2) = 0) AS a JOIN k FOR SYSTEM_TIME AS OF a.ts AS r ON a.a = r.a AND a.b = r.b"
)
