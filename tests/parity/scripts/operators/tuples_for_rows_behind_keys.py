from pyflink.common import Row, Time, Types
from pyflink.common.watermark_strategy import TimestampAssigner, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, MapFunction, ProcessWindowFunction, StreamExecutionEnvironment
from pyflink.datastream.window import TumblingEventTimeWindows

INT, TEXT = Types.INT(), Types.STRING()
NAMED = Types.ROW_NAMED(["a", "b"], [INT, TEXT])


def case(name, build):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        build(env.from_collection([1], INT)).map(repr, TEXT).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


class Keyed(KeyedProcessFunction):
    def process_element(self, n, ctx):
        yield n, "x"


class Mapped(MapFunction):
    def open(self, runtime_context):
        self.started = True

    def map(self, n):
        return n, "x"


class First(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 5


class Windowed(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield 1, "x"


def window(stream):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(First())
    keyed = stream.assign_timestamps_and_watermarks(strategy).key_by(lambda n: n)
    return keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).process(Windowed(), NAMED)


case("map of a keyed stream", lambda s: s.key_by(lambda n: n).map(Mapped(), NAMED))
case("process of a keyed stream", lambda s: s.key_by(lambda n: n).process(Keyed(), NAMED))
case("window", window)
case("reduce", lambda s: s.map(lambda n: Row(n, "x"), NAMED).key_by(lambda r: 0).reduce(lambda a, b: a))
case("project", lambda s: s.map(lambda n: (n, "x"), Types.TUPLE([INT, TEXT])).project(1))
