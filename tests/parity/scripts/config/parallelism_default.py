from pyflink.common import ExecutionConfig, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(ExecutionConfig.PARALLELISM_DEFAULT)
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT())
numbers.map(lambda n: n * n, Types.INT()).set_parallelism(3).set_parallelism(
    ExecutionConfig.PARALLELISM_DEFAULT
).print()
env.execute()
for wrong in (0, -3):
    try:
        numbers.map(lambda n: n).set_parallelism(wrong)
    except Exception:
        print(wrong, "fails")
