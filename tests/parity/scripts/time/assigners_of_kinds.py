from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, StreamExecutionEnvironment


class Show(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()}"


class Own(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 10


class Alike:
    def extract_timestamp(self, value, record_timestamp):
        return value * 20


def case(name, make):
    print(name, flush=True)
    try:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(1)
        make(env.from_collection([1, 2], Types.INT())).process(Show()).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


def strategy():
    return WatermarkStrategy.for_monotonous_timestamps()


def unused(s):
    strategy().with_timestamp_assigner(lambda value, timestamp: value)
    return s


def unused_text(s):
    strategy().with_timestamp_assigner("timestamps")
    return s


case("not used", unused)
case("a text that is not used", unused_text)
case("own", lambda s: s.assign_timestamps_and_watermarks(strategy().with_timestamp_assigner(Own())))
case("alike", lambda s: s.assign_timestamps_and_watermarks(strategy().with_timestamp_assigner(Alike())))
case("lambda", lambda s: s.assign_timestamps_and_watermarks(strategy().with_timestamp_assigner(lambda v, t: v)))
case("a class", lambda s: s.assign_timestamps_and_watermarks(strategy().with_timestamp_assigner(Own)))
case("none", lambda s: s.assign_timestamps_and_watermarks(strategy()))
case(
    "replaced",
    lambda s: s.assign_timestamps_and_watermarks(
        strategy().with_timestamp_assigner(lambda v, t: v).with_timestamp_assigner(Own())
    ),
)
