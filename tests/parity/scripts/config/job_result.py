from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2], type_info=Types.INT()).print()
result = env.execute("the job")
print(type(result).__name__, result.get_net_runtime() >= 0, len(str(result.get_job_id())))
