# parity: any order
from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AggregateFunction,
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    Partitioner,
    ProcessFunction,
    ProcessWindowFunction,
    ReduceFunction,
    StreamExecutionEnvironment,
)
from pyflink.datastream.functions import AllWindowFunction, ProcessAllWindowFunction, WindowFunction
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.window import (
    EventTimeSessionWindows,
    SessionWindowTimeGapExtractor,
    TimeWindow,
    TimeWindowSerializer,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    WindowAssigner,
)

WORDS = """name names type types key keys value values state states function functions func fields records record
messages topic topics exact output output_type type_info schema operator context ctx runtime_context collector buffer
cache config options parallelism uid timer timers window windows trigger count total result results errors error logger
log data rows row table stream source sink path files file closed opened started run stop client connection batch size
index id metrics counter queue lock text lines line encoder decoder format kind mode tag tags inner outer wrapped f fn
args kwargs params settings env environment job plan node parent children next previous last first split splits offset
side_tags start end limit part subtask handle method call target user_function host slot chain block blocks"""
NAMES = WORDS.split()


class Attributes:
    """All names as attributes, each with a value of its own."""

    def __init__(self):
        for i, name in enumerate(NAMES):
            setattr(self, name, i)
            setattr(self, f"_{name}", -i)

    def right(self):
        return [n for i, n in enumerate(NAMES) if getattr(self, n) != i or getattr(self, f"_{n}") != -i]


class Map(Attributes, MapFunction):
    def map(self, value):
        return f"map {value} {self.right()}"


class FlatMap(Attributes, FlatMapFunction):
    def flat_map(self, value):
        yield f"flat_map {value} {self.right()}"


class Filter(Attributes, FilterFunction):
    def filter(self, value):
        return self.right() == []


class Process(Attributes, ProcessFunction):
    def process_element(self, value, ctx):
        yield f"process {value} {self.right()}"


class KeyedProcess(Attributes, KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(5)
        yield f"keyed {value} {self.right()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {timestamp} {self.right()}"


class Select(Attributes, KeySelector):
    def get_key(self, value):
        return str(self.right())


class Reduce(Attributes, ReduceFunction):
    def reduce(self, value1, value2):
        return f"reduce {self.right()}"


class Aggregate(Attributes, AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return f"aggregate {accumulator} {self.right()}"

    def merge(self, a, b):
        return a + b


class InWindow(Attributes, ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"process in a window {len(list(elements))} {self.right()}"


class InAll(Attributes, ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"process in all {len(list(elements))} {self.right()}"


class OfWindow(Attributes, WindowFunction):
    def apply(self, key, window, inputs):
        yield f"apply to a window {len(list(inputs))} {self.right()}"


class OfAll(Attributes, AllWindowFunction):
    def apply(self, window, inputs):
        yield f"apply to all {len(list(inputs))} {self.right()}"


class Both(Attributes, CoMapFunction):
    def map1(self, value):
        return f"map1 {value} {self.right()}"

    def map2(self, value):
        return f"map2 {value} {self.right()}"


class FlatBoth(Attributes, CoFlatMapFunction):
    def flat_map1(self, value):
        yield f"flat_map1 {value} {self.right()}"

    def flat_map2(self, value):
        yield f"flat_map2 {value} {self.right()}"


class ProcessBoth(Attributes, CoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"process1 {value} {self.right()}"

    def process_element2(self, value, ctx):
        yield f"process2 {value} {self.right()}"


class KeyedBoth(Attributes, KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"keyed1 {value} {self.right()}"

    def process_element2(self, value, ctx):
        yield f"keyed2 {value} {self.right()}"


class Broadcast(Attributes, BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield f"beside a broadcast {value} {self.right()}"

    def process_broadcast_element(self, value, ctx):
        yield f"broadcast {value} {self.right()}"


class KeyedBroadcast(Attributes, KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield f"keyed beside a broadcast {value} {self.right()}"

    def process_broadcast_element(self, value, ctx):
        yield f"keyed broadcast {value} {self.right()}"


class Part(Attributes, Partitioner):
    def partition(self, key, num_partitions):
        return 0 if self.right() == [] else 5


class Stamp(Attributes, TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return 1000 if self.right() == [] else -1


class Gap(Attributes, SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 10 if self.right() == [] else -1


class Seconds(Attributes, WindowAssigner):
    def assign_windows(self, element, timestamp, context):
        return [TimeWindow(timestamp, timestamp + 1000)] if self.right() == [] else []

    def get_default_trigger(self, env):
        return Fire()

    def get_window_serializer(self):
        return TimeWindowSerializer()

    def is_event_time(self):
        return True


class Fire(Attributes, Trigger):
    def on_element(self, element, timestamp, window, ctx):
        return TriggerResult.FIRE if self.right() == [] else TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        pass

    def clear(self, window, ctx):
        pass


class Async(Attributes, AsyncFunction):
    async def async_invoke(self, value):
        return [f"async {value} {self.right()}"]


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
text = Types.STRING()
numbers = env.from_collection([1, 2], type_info=Types.INT())
keyed = numbers.key_by(lambda n: n)
timed = numbers.assign_timestamps_and_watermarks(
    WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
)
second = TumblingEventTimeWindows.of(Time.seconds(1))
windows, every = timed.key_by(lambda n: 0).window(second), timed.window_all(second)
rules = env.from_collection(["rule"], type_info=text).broadcast(MapStateDescriptor("rules", text, text))
streams = [
    numbers.map(Map(), text),
    numbers.flat_map(FlatMap(), text),
    numbers.filter(Filter()).map(str, text),
    numbers.process(Process(), text),
    timed.key_by(lambda n: n).process(KeyedProcess(), text),
    numbers.map(str, text).key_by(Select()).reduce(Reduce()),
    numbers.connect(numbers).map(Both(), text),
    numbers.connect(numbers).flat_map(FlatBoth(), text),
    numbers.connect(numbers).process(ProcessBoth(), text),
    keyed.connect(keyed).process(KeyedBoth(), text),
    numbers.connect(rules).process(Broadcast(), text),
    keyed.connect(rules).process(KeyedBroadcast(), text),
    windows.aggregate(Aggregate(), output_type=text),
    windows.process(InWindow(), text),
    windows.apply(OfWindow(), text),
    every.process(InAll(), text),
    every.apply(OfAll(), text),
    timed.key_by(lambda n: 0).window(EventTimeSessionWindows.with_dynamic_gap(Gap())).process(InWindow(), text),
    timed.key_by(lambda n: 0).window(Seconds()).process(InWindow(), text),
    timed.key_by(lambda n: 0).window(second).trigger(Fire()).process(InWindow(), text),
    AsyncDataStream.unordered_wait(numbers, Async(), Time.seconds(60), 10, text),
]
every_text = streams[0].union(*streams[1:])
with every_text.execute_and_collect() as found:
    print(*sorted(found), sep="\n")
parted = numbers.partition_custom(Part(), lambda n: n).map(str, text)
parted.print()
env.execute()
