from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import DataTypes, Schema, StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
tuples = env.from_collection([(1, "x"), (2, "y")])
numbers = env.from_collection([1, 2])
typed = env.from_collection([(1, "x")], Types.TUPLE([Types.INT(), Types.STRING()]))


def show(name, make):
    print(name, flush=True)
    try:
        made = make()
        print(made.get_schema().get_field_names(), flush=True)
        tables.to_data_stream(made).map(lambda row: repr(row), Types.STRING()).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


show("tuples", lambda: tables.from_data_stream(tuples))
show("numbers", lambda: tables.from_data_stream(numbers))
show("one name", lambda: tables.from_data_stream(tuples, col("a")))
show("two names", lambda: tables.from_data_stream(tuples, col("a"), col("b")))
show("rows", lambda: tables.from_data_stream(env.from_collection([Row(1, "x")])))
show("behind a map", lambda: tables.from_data_stream(typed.map(lambda v: (v[0], v[1]))))
show("behind a typed map", lambda: tables.from_data_stream(typed.map(lambda v: v[0], Types.INT())))
show("selected", lambda: tables.from_data_stream(numbers).select(col("f0").alias("n")))
show("schema", lambda: tables.from_data_stream(numbers, Schema.new_builder().column("f0", DataTypes.INT()).build()))
show("pickled", lambda: tables.from_data_stream(env.from_collection([{"a": 1}], Types.PICKLED_BYTE_ARRAY())))
show(
    "in a row",
    lambda: tables.from_data_stream(
        env.from_collection([(1, [2])], Types.ROW([Types.INT(), Types.PICKLED_BYTE_ARRAY()]))
    ),
)


def view(name, stream, query):
    print(name, flush=True)
    try:
        tables.create_temporary_view(name, stream)
        tables.sql_query(query).execute().print()
    except Exception:
        print("fails", flush=True)


view("counted", numbers, "SELECT COUNT(*) AS c FROM counted")
view("of_tuples", tuples, "SELECT COUNT(f0) AS c FROM of_tuples")
