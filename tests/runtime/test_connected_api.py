"""What connecting two streams makes of a program, and what it refuses."""

from __future__ import annotations

import pytest

from datastream import StreamExecutionEnvironment
from datastream.api.broadcast_streams import BroadcastConnectedStream, BroadcastStream
from datastream.api.connected_streams import ConnectedStreams
from datastream.api.step import node_of
from datastream.errors import ValidationError
from datastream.functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeySelector,
)
from datastream.graph import Broadcast, Forward, Hash
from datastream.graph.operators import BroadcastProcess, CoProcess, KeyedBroadcastProcess, KeyedCoProcess
from datastream.state import MapStateDescriptor, StateTtlConfig
from datastream.time import Time
from datastream.types import Types
from tests.support.keyed_harness import ANY

RULES = MapStateDescriptor("rules", ANY, ANY)


class Maps(CoMapFunction):
    def map1(self, value): ...
    def map2(self, value): ...


class FlatMaps(CoFlatMapFunction):
    def flat_map1(self, value): ...
    def flat_map2(self, value): ...


class Process(CoProcessFunction):
    def process_element1(self, value, ctx): ...
    def process_element2(self, value, ctx): ...


class KeyedProcess(KeyedCoProcessFunction):
    def process_element1(self, value, ctx): ...
    def process_element2(self, value, ctx): ...


class Rules(BroadcastProcessFunction):
    def process_element(self, value, ctx): ...
    def process_broadcast_element(self, value, ctx): ...


class KeyedRules(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx): ...
    def process_broadcast_element(self, value, ctx): ...


class Itself(KeySelector):
    def get_key(self, value):
        return value


def streams():
    env = StreamExecutionEnvironment.get_execution_environment()
    return env.from_collection([1]), env.from_collection(["a"])


def operator(stream):
    builder = node_of(stream).builder
    inputs = [(source, partitioner) for source, target, partitioner, _ in builder.edges if target == node_of(stream).id]
    return builder.operators[node_of(stream).id], inputs


@pytest.mark.parametrize(
    "call, function", [("map", Maps()), ("flat_map", FlatMaps()), ("process", Process()), ("process", KeyedProcess())]
)
def test_keyed_or_not(call, function):
    left, right = streams()
    connected = ConnectedStreams(left, right)
    if not isinstance(function, KeyedProcess):
        op, inputs = operator(getattr(connected, call)(function, Types.STRING()))
        assert (type(op), type(op.instance), op.output_type) == (CoProcess, type(function), Types.STRING())
        assert inputs == [(node_of(left).id, Forward()), (node_of(right).id, Forward())]
    key = Itself()
    op, inputs = operator(getattr(connected.key_by(lambda x: x, key, Types.STRING()), call)(function))
    assert (type(op), type(op.instance), op.output_type) == (KeyedCoProcess, type(function), None)
    assert [source for source, _ in inputs] == [node_of(left).id, node_of(right).id]
    by_key = inputs[1][1]
    assert (type(by_key), type(by_key.key.__self__), by_key.key_type) == (Hash, Itself, Types.STRING())
    assert callable(op.function.process_element1) and callable(op.function.process_element2)


def test_streams_that_are_keyed_already():
    left, right = streams()
    keyed = ConnectedStreams(left.key_by(lambda x: x), right.key_by(lambda x: x))
    assert operator(keyed.process(KeyedProcess()))[0].__class__ is KeyedCoProcess
    op, inputs = operator(keyed.key_by(len, len).map(Maps()))
    assert [partitioner.key for _, partitioner in inputs] == [len, len], "key_by anew takes the place of the keys"


def test_one_side_keyed():
    left, right = streams()
    for pair, side in (((left.key_by(str), right), "first"), ((left, right.key_by(str)), "second")):
        for call, function in (("map", Maps()), ("process", Process())):  # as in PyFlink
            assert operator(getattr(ConnectedStreams(*pair), call)(function))[0].__class__ is CoProcess
        with pytest.raises(ValidationError, match=f"the {side} of the connected streams is keyed.*key both"):
            ConnectedStreams(*pair).process(KeyedProcess())


def test_functions_that_do_not_fit():
    left, right = streams()
    connected = ConnectedStreams(left, right)
    with pytest.raises(
        ValidationError, match="KeyedProcess is a KeyedCoProcessFunction, but the streams are not keyed"
    ):
        connected.process(KeyedProcess())
    with pytest.raises(
        ValidationError, match=r"needs a CoProcessFunction, which has process_element1\(value, ctx\) and"
    ):
        connected.process(Maps())
    with pytest.raises(ValidationError, match=r"map needs a CoMapFunction, which has map1\(value\) and map2\(value\)"):
        connected.map(lambda value: value)
    with pytest.raises(ValidationError, match="flat_map needs a CoFlatMapFunction"):
        connected.flat_map(Maps())
    with pytest.raises(ValidationError, match=r"pass an object: Maps\(\)"):
        connected.map(Maps)

    class TwoArguments(Maps):
        def map2(self, value, ctx): ...

    with pytest.raises(ValidationError, match="1 argument"):
        connected.map(TwoArguments())


def test_streams_that_do_not_fit():
    left, right = streams()
    with pytest.raises(ValidationError, match="one StreamExecutionEnvironment"):
        ConnectedStreams(left, streams()[0])
    with pytest.raises(ValidationError, match="connect needs a DataStream, or the BroadcastStream"):
        ConnectedStreams(left, [1])
    with pytest.raises(ValidationError, match="connect needs streams whose keys are of one type"):
        ConnectedStreams(left.key_by(str, Types.INT()), right.key_by(str, Types.STRING()))
    ConnectedStreams(left.key_by(str, Types.INT()), right.key_by(str))


@pytest.mark.parametrize("keyed", [False, True])
def test_broadcast(keyed):
    left, right = streams()
    left = left.key_by(lambda x: x) if keyed else left
    function, other = (KeyedRules(), Rules()) if keyed else (Rules(), KeyedRules())
    broadcast = BroadcastStream(right, [RULES])
    connected = BroadcastConnectedStream(left, broadcast, broadcast.broadcast_state_descriptors)
    op, inputs = operator(connected.process(function, Types.STRING()))
    assert type(op) is (KeyedBroadcastProcess if keyed else BroadcastProcess)
    assert (type(op.function), op.output_type) == (type(function), Types.STRING())
    assert [descriptor.name for descriptor in op.descriptors] == ["rules"]
    assert inputs == [(node_of(left).id, node_of(left).partitioner), (node_of(right).id, Broadcast())]
    said = "that is keyed" if keyed else "that is not keyed"
    with pytest.raises(
        ValidationError, match=f"{said}, .* needs a {type(function).__bases__[0].__name__}; {type(other).__name__}"
    ):
        connected.process(other)
    with pytest.raises(ValidationError, match=r"which has process_element\(value, ctx\) and process_broadcast_element"):
        connected.process(Process())
    with pytest.raises(ValidationError, match="pass an object"):
        connected.process(type(function))


def test_a_keyed_stream_can_be_broadcast():
    left, right = streams()
    broadcast = BroadcastStream(right.key_by(len), [RULES])
    _, inputs = operator(BroadcastConnectedStream(left, broadcast, [RULES]).process(Rules()))
    assert inputs == [(node_of(left).id, Forward()), (node_of(right).id, Broadcast())]


def test_descriptors_that_do_not_fit():
    _, right = streams()
    with pytest.raises(ValidationError, match="needs a MapStateDescriptor"):
        BroadcastStream(right, [])
    with pytest.raises(ValidationError, match="broadcast needs MapStateDescriptors, got 'rules'"):
        BroadcastStream(right, ["rules"])
    with pytest.raises(ValidationError, match="two descriptors named 'rules'"):
        BroadcastStream(right, [RULES, MapStateDescriptor("rules", ANY, ANY)])
    expiring = MapStateDescriptor("rules", ANY, ANY)
    expiring.enable_time_to_live(StateTtlConfig.new_builder(Time.seconds(1)).build())
    with pytest.raises(ValidationError, match="'rules' has a time to live, but broadcast state does not expire"):
        BroadcastStream(right, [expiring])
    with pytest.raises(ValidationError, match="one StreamExecutionEnvironment"):
        BroadcastConnectedStream(streams()[0], BroadcastStream(right, [RULES]), [RULES])
