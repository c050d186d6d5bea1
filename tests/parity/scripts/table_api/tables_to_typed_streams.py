from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
tables.get_config().set("table.local-time-zone", "Europe/Berlin")
LTZ = "TO_TIMESTAMP_LTZ(1700000000123, 3)"
INT, TEXT = Types.INT(), Types.STRING()


def show(what, kind, call=None):
    print(what, kind, flush=True)
    try:
        stream = (call or tables.to_append_stream)(tables.sql_query(f"SELECT {what}"), kind)
        stream.map(repr, TEXT).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


show(f"{LTZ} AS a", Types.ROW([Types.SQL_TIMESTAMP()]))
show(f"{LTZ} AS a", Types.TUPLE([Types.SQL_TIMESTAMP()]))
show(f"{LTZ} AS a", Types.ROW([Types.INSTANT()]))
show(f"CAST(NULL AS TIMESTAMP_LTZ(3)) AS a, {LTZ} AS b", Types.ROW([Types.SQL_TIMESTAMP(), Types.SQL_TIMESTAMP()]))
show("TIMESTAMP '2024-01-01 00:00:00.123' AS a", Types.ROW([Types.SQL_TIMESTAMP()]))
show("TIMESTAMP '2024-01-01 00:00:00.123' AS a", Types.ROW([Types.INSTANT()]))
show("CAST(1.5 AS DECIMAL(5, 2)) AS a", Types.ROW([Types.DOUBLE()]))
show("CAST(1.5 AS DECIMAL(5, 2)) AS a", Types.TUPLE([Types.DOUBLE()]))
show("CAST(1.5 AS DECIMAL(5, 2)) AS a", Types.ROW([Types.FLOAT()]))
show("CAST(1.5 AS DECIMAL(5, 2)) AS a", Types.ROW([INT]))
show("CAST(1.5 AS DECIMAL(5, 2)) AS a", Types.ROW([TEXT]))
show("CAST(1 AS BIGINT) AS a", Types.ROW([INT]))
show("CAST(1 AS BIGINT) AS a", Types.ROW([Types.DOUBLE()]))
show("CAST(1 AS DOUBLE) AS a", Types.ROW([Types.FLOAT()]))
show("CAST(1 AS DOUBLE) AS a", Types.ROW([Types.LONG()]))
show("CAST(1 AS SMALLINT) AS a", Types.ROW([Types.LONG()]))
show("CAST(1.5 AS FLOAT) AS a", Types.ROW([Types.DOUBLE()]))
show("TRUE AS a", Types.ROW([INT]))
show("1 AS a", Types.ROW([TEXT]))
show("'1' AS a", Types.ROW([INT]))
show("DATE '2024-01-01' AS a", Types.ROW([Types.SQL_TIMESTAMP()]))
show("1 AS a, 'x' AS b", Types.ROW([INT, TEXT]))
show("1 AS a, 'x' AS b", Types.ROW_NAMED(["x", "y"], [INT, TEXT]))
show("1 AS a, 'x' AS b", Types.ROW_NAMED(["b", "a"], [INT, TEXT]))
show("1 AS a, 'x' AS b", Types.ROW([INT, TEXT]), tables.to_retract_stream)
show(
    f"{LTZ} AS a, CAST(1.5 AS DECIMAL(5, 2)) AS b",
    Types.TUPLE([Types.SQL_TIMESTAMP(), Types.DOUBLE()]),
    tables.to_retract_stream,
)
show("ROW(1, 'x') AS a", Types.ROW([Types.ROW([INT, TEXT])]))
show("ARRAY[1, 2] AS a", Types.ROW([Types.OBJECT_ARRAY(INT)]))
show("MAP['k', 1] AS a", Types.ROW([Types.MAP(TEXT, INT)]))
tables.to_append_stream(tables.sql_query("SELECT 1 AS a, 'x' AS b"), Types.ROW([INT, TEXT])).map(
    lambda row: f"{row.f1} {row[0]}", TEXT
).print()
env.execute()
