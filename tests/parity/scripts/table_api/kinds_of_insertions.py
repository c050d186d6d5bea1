import decimal

from pyflink.common import Row, RowKind, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import ChangelogMode, Schema, StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
later = Row("a", 2)
later.set_row_kind(RowKind.UPDATE_AFTER)
KIND = Types.ROW_NAMED(["k", "n"], [Types.STRING(), Types.INT()])
updated, inserted = env.from_collection([later], KIND), env.from_collection([Row("a", 1)], KIND)
nothing = Schema.new_builder().build()


def show(name, table):
    print(name, flush=True)
    try:
        table.execute().print()
    except Exception:
        print("fails", flush=True)


show("from_data_stream", tables.from_data_stream(updated))
show("insertions", tables.from_changelog_stream(updated, nothing, ChangelogMode.insert_only()))
show("inserted", tables.from_changelog_stream(inserted, nothing, ChangelogMode.insert_only()))
numbers = env.from_collection([Row(decimal.Decimal("1.5"))], Types.ROW_NAMED(["d"], [Types.BIG_DEC()]))
for digits in ("5, 0", "5, 2", "38, 18"):
    show(digits, tables.from_data_stream(numbers, Schema.new_builder().column("d", f"DECIMAL({digits})").build()))
show("undeclared", tables.from_data_stream(numbers))
