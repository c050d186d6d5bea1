from pyflink.common import Types, WatermarkStrategy
from pyflink.common.time import Time
from pyflink.datastream import AsyncDataStream, AsyncFunction, OutputTag, StreamExecutionEnvironment
from pyflink.datastream.functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
)
from pyflink.datastream.state import MapStateDescriptor


class One(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class OfKey(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class Maps(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class FlatMaps(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


class Two(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class TwoOfKey(KeyedCoProcessFunction, Two):
    pass


class Rules(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class RulesOfKey(KeyedBroadcastProcessFunction, Rules):
    pass


class Later(AsyncFunction):
    async def async_invoke(self, value):
        return [value]

    def timeout(self, value):
        return []


def show(what, stream):
    try:
        print(what, stream.get_name())
    except Exception as error:
        print(what, "fails:", str(error).splitlines()[0])


INT = Types.INT()
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2], type_info=INT)
other = numbers.flat_map(lambda x: [x], output_type=INT)
keyed = numbers.key_by(lambda x: x, key_type=INT)
both = keyed.connect(other.key_by(lambda x: x, key_type=INT))
rules = other.broadcast(MapStateDescriptor("rules", INT, INT))
pairs = env.from_collection([(1, 2)], type_info=Types.TUPLE([INT, INT]))
show("source", numbers)
show("map", numbers.map(lambda x: x, output_type=INT))
show("flat_map", other)
show("filter", numbers.filter(lambda x: True))
show("key_by", keyed)
show("map of keys", keyed.map(lambda x: x, output_type=INT))
show("flat_map of keys", keyed.flat_map(lambda x: [x], output_type=INT))
show("reduce", keyed.reduce(lambda x, y: x))
show("process", numbers.process(One()))
show("process of keys", keyed.process(OfKey()))
show("project", pairs.project(0))
show("watermarks", numbers.assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps()))
show("co-map", numbers.connect(other).map(Maps(), output_type=INT))
show("co-flat-map", numbers.connect(other).flat_map(FlatMaps(), output_type=INT))
show("co-process", numbers.connect(other).process(Two(), output_type=INT))
show("co-map of keys", both.map(Maps(), output_type=INT))
show("co-process of keys", both.process(TwoOfKey(), output_type=INT))
show("broadcast", numbers.connect(rules).process(Rules()))
show("broadcast of keys", keyed.connect(rules).process(RulesOfKey()))
show("side output", numbers.process(One()).get_side_output(OutputTag("tag", INT)).map(lambda x: x))
show("async", AsyncDataStream.unordered_wait(numbers, Later(), Time.seconds(1), 2, INT))
show("name", numbers.map(lambda x: x).name("mine"))
