"""Keeps a value, a large list and timers by key, and a sum behind it; says nothing."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor


class Note:
    """Known to this script only."""

    def __init__(self, number):
        self.number = number


class Keep(KeyedProcessFunction):
    def open(self, runtime_context):
        any_type = Types.PICKLED_BYTE_ARRAY()
        self.last = runtime_context.get_state(ValueStateDescriptor("last", any_type))
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", any_type))

    def process_element(self, value, ctx):
        self.last.update(Note(value))
        self.all.add(value)
        ctx.timer_service().register_event_time_timer(value)
        yield value


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
kept = env.from_sequence(0, 5999).key_by(lambda n: f"key {n % 3}").process(Keep()).uid("keep")
kept.key_by(lambda n: n % 2).reduce(lambda a, b: a + b).uid("sums").filter(lambda n: False).print()
env.execute("kept states")
