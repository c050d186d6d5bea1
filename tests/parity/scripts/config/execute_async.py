from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2], type_info=Types.INT()).map(lambda x: x + 1, Types.INT()).print()
client = env.execute_async("the job")
result = client.get_job_execution_result().result()
print(type(result).__name__, str(client.get_job_id()) == str(result.get_job_id()))
