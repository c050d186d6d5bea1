from pyflink.common import Time, Types
from pyflink.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingProcessingTimeWindows


class Sum(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, sum(e[1] for e in elements)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
data = env.from_collection([("a", 1), ("a", 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
windows = data.key_by(lambda d: d[0]).window(TumblingProcessingTimeWindows.of(Time.days(1)))
windows.process(Sum(), Types.TUPLE([Types.STRING(), Types.INT()])).print()
env.execute()
print("done")
