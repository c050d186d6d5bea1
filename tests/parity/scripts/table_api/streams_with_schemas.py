from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
records = env.from_collection(
    [(1, "2024-01-01 00:00:00", "x")],
    Types.ROW_NAMED(["uid", "t", "name"], [Types.INT(), Types.STRING(), Types.STRING()]),
)
pairs = env.from_collection([(1, "x")], Types.TUPLE([Types.INT(), Types.STRING()]))
CAST = "CAST(t AS TIMESTAMP(3))"


def show(name, schema, stream=records):
    print(name, flush=True)
    try:
        table = tables.from_data_stream(stream, schema)
        print(table.get_schema().get_field_names(), flush=True)
        table.execute().print()
    except Exception:
        print("fails", flush=True)


def builder():
    return Schema.new_builder()


INT = DataTypes.INT()
show("computed first", builder().column_by_expression("ts", CAST).column("uid", INT).build())
show("computed last", builder().column("uid", INT).column_by_expression("ts", CAST).build())
show("computed alone", builder().column_by_expression("ts", CAST).build())
show("of two fields", builder().column("uid", INT).column_by_expression("a", "UPPER(name) || t").build())
show(
    "two computed",
    builder().column_by_expression("a", "UPPER(name)").column("uid", INT).column_by_expression("b", "uid + 1").build(),
)
show("of a declared one", builder().column("uid", INT).column_by_expression("a", "uid + 1").build())
show("the same name", builder().column("uid", INT).column_by_expression("name", "UPPER(name)").build())
show(
    "of a computed one",
    builder().column("uid", INT).column_by_expression("a", "t").column_by_expression("b", "a").build(),
)
show("of no field", builder().column("uid", INT).column_by_expression("a", "UPPER(gone)").build())
show("proctime", builder().column("uid", INT).column_by_expression("a", "CHAR_LENGTH(t)").build())
show("of a tuple", builder().column("f0", INT).column_by_expression("a", "UPPER(f1)").build(), pairs)
show(
    "a watermark",
    builder().column("uid", INT).column_by_expression("ts", CAST).watermark("ts", "ts - INTERVAL '1' SECOND").build(),
)
show(
    "a key",
    builder().column("uid", INT.not_null()).column_by_expression("a", "UPPER(name)").primary_key("uid").build(),
)
tables.create_temporary_view("v", records, builder().column_by_expression("ts", CAST).column("uid", INT).build())
tables.sql_query("SELECT uid, ts FROM v").execute().print()
