from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, OutputTag, StreamExecutionEnvironment

HIGH = OutputTag("high", Types.TUPLE([Types.STRING(), Types.INT()]))


class Watch(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value
        if value[1] > 10:
            yield HIGH, (ctx.get_current_key(), value[1])


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
main = env.from_collection([("a", 5), ("b", 50)], type_info=pair).key_by(lambda p: p[0]).process(Watch(), pair)
main.get_side_output(HIGH).print()
env.execute()
