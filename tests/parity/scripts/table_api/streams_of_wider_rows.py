from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import Schema, StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
inner = Types.ROW_NAMED(["p", "q"], [Types.INT(), Types.STRING()])
outer = Types.ROW_NAMED(["a", "r"], [Types.INT(), Types.ROW_NAMED(["o", "i"], [Types.INT(), inner])])
flat = Types.ROW_NAMED(["a", "r"], [Types.INT(), inner])


def show(table):
    table.print_schema()
    with table.execute().collect() as rows:
        for row in rows:
            print(row)


for declared in ("ROW<p INT>", "ROW<x INT>", "ROW<q INT>", "ROW<x INT, y STRING>"):
    stream = env.from_collection([Row(1, Row(2, "x")), Row(3, None), Row(4, Row(7, "y"))], flat)
    schema = Schema.new_builder().column("a", "INT").column("r", declared).build()
    show(tables.from_data_stream(stream, schema))
    show(tables.from_changelog_stream(stream, schema))
nested = env.from_collection([Row(1, Row(5, Row(2, "x")))], outer)
show(tables.from_data_stream(nested, Schema.new_builder().column("r", "ROW<o INT, i ROW<p INT>>").build()))
show(tables.from_data_stream(nested, Schema.new_builder().column("r", "ROW<o INT>").build()))
