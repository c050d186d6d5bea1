from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW_NAMED(["name", "price"], [Types.STRING(), Types.DOUBLE()])
rows = env.from_collection([Row(name="a", price=1.5), Row(name="a", price=2.0)], type_info=row)
rows.key_by(lambda r: r["name"]).sum("price").print()
env.execute()
