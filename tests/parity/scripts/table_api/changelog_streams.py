from pyflink.common import Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import ChangelogMode, DataTypes, Schema, StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)


def row(kind, *values):
    made = Row(*values)
    made.set_row_kind(kind)
    return made


rows = [
    row(RowKind.INSERT, "a", 1),
    row(RowKind.INSERT, "b", 5),
    row(RowKind.UPDATE_BEFORE, "a", 1),
    row(RowKind.UPDATE_AFTER, "a", 7),
    row(RowKind.DELETE, "b", 5),
]
stream = env.from_collection(rows, type_info=Types.ROW_NAMED(["k", "n"], [Types.STRING(), Types.INT()]))
table = tables.from_changelog_stream(stream)
table.print_schema()
table.execute().print()
table.select(col("n").sum.alias("s"), col("k").count.alias("c")).execute().print()
schema = Schema.new_builder().column("n", DataTypes.INT()).column("k", DataTypes.STRING()).build()
tables.from_changelog_stream(stream, schema, ChangelogMode.all()).print_schema()
