from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
FIELDS = [Types.INT(), Types.STRING()]
for name, kind in {"row": Types.ROW(FIELDS), "named": Types.ROW_NAMED(["f0", "f1"], FIELDS)}.items():
    env.from_collection([1], Types.INT()).map(lambda n: Row(f1="x", f0=n), kind).print(name)
    env.execute()
