from pyflink.common import Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Show(MapFunction):
    def open(self, runtime_context):
        self.parameter = runtime_context.get_job_parameter("limit", "none")

    def map(self, value):
        return f"{value} {self.parameter}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.get_config().set_global_job_parameters({"limit": "5"})
env.from_collection([1], type_info=Types.INT()).map(Show(), output_type=Types.STRING()).print()
env.execute()
