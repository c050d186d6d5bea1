# parity: any order
import os

from pyflink.table import EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
with open("o.csv", "w") as file:
    file.write(
        "1,USD,10,2024-01-01 00:00:01\n2,EUR,20,2024-01-01 00:00:05\n3,USD,30,2024-01-01 00:00:07\n4,,40,2024-01-01 00:00:08\n5,JPY,50,2024-01-01 00:00:09\n6,EUR,60,2024-01-01 00:00:20\n7,GBP,70,2024-01-01 00:00:21\n"
    )
with open("h.csv", "w") as file:
    file.write(
        "USD,100,2024-01-01 00:00:01\nEUR,110,2024-01-01 00:00:02\nUSD,101,2024-01-01 00:00:06\n,1,2024-01-01 00:00:06.5\nEUR,111,2024-01-01 00:00:10\nGBP,5,2024-01-01 00:00:22\n"
    )
WITH = "WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'csv', 'csv.null-literal' = '')"
for name, columns in (("o", "id INT, cur STRING, amount INT, ts"), ("h", "cur STRING, rate INT, ts")):
    env.execute_sql(
        f"CREATE TABLE {name} ({columns} TIMESTAMP(3), WATERMARK FOR ts AS ts) {WITH.format(os.path.abspath(name + '.csv'))}"
    )
env.execute_sql(
    f"CREATE TABLE k (cur STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (cur) NOT ENFORCED) {WITH.format(os.path.abspath('h.csv'))}"
)
FIRST = (
    "SELECT cur, rate, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts {}) AS n FROM h) WHERE n = 1"
)
env.execute_sql(f"CREATE VIEW v AS {FIRST.format('DESC')}")
env.execute_sql(f"CREATE VIEW oldest AS {FIRST.format('ASC')}")
env.execute_sql("CREATE VIEW doubled AS SELECT cur, rate * 2 AS rate, ts FROM v")
env.execute_sql("CREATE VIEW renamed (rate, c, t) AS SELECT rate, cur, ts FROM v")


def show(text):
    print(text)
    with env.execute_sql(text).collect() as rows:
        for row in sorted(str(row) for row in rows):
            print(row)


JOIN = "SELECT o.id, o.cur, r.rate, r.ts FROM o {} JOIN {} FOR SYSTEM_TIME AS OF o.ts AS r ON {}"
for table in ("v", "k", "oldest", "doubled"):
    for kind in ("", "LEFT"):
        show(JOIN.format(kind, table, "o.cur = r.cur"))
show("SELECT o.id, r.* FROM o JOIN renamed FOR SYSTEM_TIME AS OF o.ts AS r ON r.c = o.cur")
for more in (
    "o.amount < r.rate - 75",
    "r.rate <> 101",
    "o.amount > 10",
    "r.cur = 'USD'",
    "o.amount + 91 = r.rate + id",
):
    show(JOIN.format("LEFT", "v", f"o.cur = r.cur AND {more}"))
    show(JOIN.format("", "v", f"o.cur = r.cur AND {more}"))
show(JOIN.format("LEFT", "v", "UPPER(o.cur) = r.cur"))
show(JOIN.format("LEFT", "v", "o.cur = r.cur") + " WHERE r.rate > 100")
show(JOIN.format("LEFT", "v", "o.cur = r.cur") + " WHERE r.rate IS NULL AND o.id < 6")
show("SELECT id, rate FROM o JOIN v FOR SYSTEM_TIME AS OF o.ts USING (cur)")
show(
    "SELECT o.id, r.rate FROM (SELECT * FROM o WHERE id > 2) AS o JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
)
show(
    "SELECT o.id, a.rate, b.rate FROM o LEFT JOIN v FOR SYSTEM_TIME AS OF o.ts AS a ON o.cur = a.cur LEFT JOIN k FOR SYSTEM_TIME AS OF o.ts AS b ON o.cur = b.cur"
)
show("SELECT a.cur, a.rate, b.rate FROM h AS a LEFT JOIN v FOR SYSTEM_TIME AS OF a.ts AS b ON a.cur = b.cur")
joined = "SELECT o.ts AS ts, rate FROM o LEFT JOIN v FOR SYSTEM_TIME AS OF o.ts AS r ON o.cur = r.cur"
show(
    f"SELECT window_start, COUNT(*), SUM(rate) FROM TABLE(TUMBLE(({joined}), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end"
)
show(f"SELECT SUM(rate) OVER (ORDER BY ts) FROM ({joined})")
