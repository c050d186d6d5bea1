from pyflink.common import Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Count(MapFunction):
    def open(self, runtime_context):
        group = runtime_context.get_metrics_group().add_group("mine")
        self.counter = group.counter("seen")
        self.last = 0
        group.gauge("last", lambda: self.last)

    def map(self, value):
        self.counter.inc()
        self.last = value
        return self.counter.get_count()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([5, 6, 7], type_info=Types.INT()).map(Count(), output_type=Types.LONG()).print()
env.execute()
