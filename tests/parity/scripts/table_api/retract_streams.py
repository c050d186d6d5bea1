from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment
from pyflink.table.expressions import col

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
tables = StreamTableEnvironment.create(env)
sales = env.from_collection([(1, "a"), (2, "b"), (3, "a")], type_info=Types.TUPLE([Types.INT(), Types.STRING()]))
table = tables.from_data_stream(sales, col("amount"), col("shop"))
totals = table.group_by(col("shop")).select(col("shop"), col("amount").sum.alias("total"))
ROW = Types.ROW_NAMED(["shop", "total"], [Types.STRING(), Types.INT()])

tables.to_retract_stream(totals, ROW).print()
env.execute()
retracted = tables.to_retract_stream(totals, ROW)
retracted.map(lambda pair: f"{pair[0]} {pair[1].get_row_kind()} {pair[1].shop} {pair[1].total}", Types.STRING()).print()
env.execute()
retracted = tables.to_retract_stream(totals, ROW).filter(lambda pair: pair[0])
retracted.map(lambda pair: pair[1], ROW).key_by(lambda row: row.shop).reduce(lambda a, b: b).print()
env.execute()
tables.to_retract_stream(totals, Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
tables.to_append_stream(table, Types.ROW([Types.INT(), Types.STRING()])).print()
env.execute()
