# parity: any order
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
table = tables.from_elements([(1, "x"), (2, "y"), (1, "z")], ["n", "w"])
tables.to_data_stream(table).print("rows")
tables.to_data_stream(table).map(lambda row: row.n + row[0], Types.LONG()).print("sums")
counts = table.group_by(col("n")).select(col("n"), col("w").count.alias("c"))
tables.to_changelog_stream(counts).print("changes")
kind = Types.ROW([Types.LONG(), Types.STRING()])
tables.to_append_stream(table, kind).print("appended")
tables.to_retract_stream(counts, Types.TUPLE([Types.LONG(), Types.LONG()])).print("retracted")


def refused(make):
    try:
        make()
        print("done")
    except Exception:
        print("refused")


refused(lambda: tables.to_data_stream(counts))
refused(lambda: tables.to_append_stream(counts, Types.ROW([Types.LONG(), Types.LONG()])))
env.execute()
