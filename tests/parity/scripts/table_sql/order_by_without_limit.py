from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.util.exceptions import TableException

WORDS = (
    "Sort on a non-time-attribute field is not supported",
    "FETCH is missed, which on streaming table is not supported",
)
env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
env.execute_sql("""
    CREATE TABLE e (n INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
    WITH ('connector' = 'datagen', 'number-of-rows' = '5')
""")
e = env.from_path("e")
TABLES = {
    "order_by": lambda: e.order_by(col("n")),
    "order_by desc": lambda: e.order_by(col("n").desc),
    "order_by two": lambda: e.order_by(col("s"), col("n").desc),
    "order_by an expression": lambda: e.order_by(col("n") + 1),
    "order_by time desc": lambda: e.order_by(col("ts").desc),
    "order_by time second": lambda: e.order_by(col("n"), col("ts")),
    "order_by offset": lambda: e.order_by(col("n")).offset(2),
    "order_by time offset": lambda: e.order_by(col("ts")).offset(2),
    "offset": lambda: e.offset(2),
    "of a constant": lambda: e.order_by(lit(1), col("n")),
    "ORDER BY": lambda: env.sql_query("SELECT * FROM e ORDER BY n"),
    "ORDER BY DESC": lambda: env.sql_query("SELECT n, s FROM e ORDER BY s DESC, n"),
    "ORDER BY OFFSET": lambda: env.sql_query("SELECT n FROM e ORDER BY n OFFSET 2 ROWS"),
    "OFFSET": lambda: env.sql_query("SELECT n FROM e OFFSET 2"),
    "of values": lambda: env.sql_query("SELECT * FROM (VALUES (1), (2)) AS v(n) ORDER BY n"),
    "of totals": lambda: env.sql_query("SELECT s, COUNT(*) AS c FROM e GROUP BY s ORDER BY c DESC"),
}
for name, make in TABLES.items():
    for what, run in (("execute", lambda table: table.execute()), ("explain", lambda table: table.explain())):
        try:
            run(make())
            print(name, what, "runs")
        except TableException as error:
            print(name, what, "is a TableException:", *[word for word in WORDS if word in str(error)])
        except Exception as error:
            print(name, what, "fails", any(word in str(error) for word in WORDS))
