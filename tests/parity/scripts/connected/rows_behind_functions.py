from pyflink.common import Row, Types
from pyflink.datastream import (
    BroadcastProcessFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
    StreamExecutionEnvironment,
)
from pyflink.datastream.state import MapStateDescriptor

PAIRS = Types.TUPLE([Types.STRING(), Types.INT()])
ROWS = Types.ROW([Types.LONG(), Types.FLOAT()])
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Keyed(KeyedBroadcastProcessFunction):
    def process_element(self, v, ctx):
        yield Row(len(v[0]), 0.1)

    def process_broadcast_element(self, v, ctx):
        pass


class Plain(BroadcastProcessFunction):
    def process_element(self, v, ctx):
        yield Row(len(v[0]), 0.1)

    def process_broadcast_element(self, v, ctx):
        pass


class Both(CoProcessFunction):
    def process_element1(self, v, ctx):
        yield Row(len(v[0]), 0.1)

    def process_element2(self, v, ctx):
        pass


class KeyedBoth(KeyedCoProcessFunction):
    def process_element1(self, v, ctx):
        yield Row(len(v[0]), 0.1)

    def process_element2(self, v, ctx):
        pass


class OneKeyed(KeyedProcessFunction):
    def process_element(self, v, ctx):
        yield Row(len(v[0]), 0.1)


class One(ProcessFunction):
    def process_element(self, v, ctx):
        yield Row(len(v[0]), 0.1)


class CoMap(CoMapFunction):
    def map1(self, v):
        return Row(len(v[0]), 0.1)

    def map2(self, v):
        return None


def first(v):
    return v[0]


KINDS = {
    "keyed broadcast": lambda s, o: (
        s.key_by(first, Types.STRING()).connect(o.broadcast(RULES)).process(Keyed(), output_type=ROWS)
    ),
    "broadcast": lambda s, o: s.connect(o.broadcast(RULES)).process(Plain(), output_type=ROWS),
    "connected": lambda s, o: s.connect(o).process(Both(), output_type=ROWS),
    "connected by key": lambda s, o: (
        s.key_by(first, Types.STRING()).connect(o.key_by(first, Types.STRING())).process(KeyedBoth(), output_type=ROWS)
    ),
    "co-map": lambda s, o: s.connect(o).map(CoMap(), output_type=ROWS),
    "keyed": lambda s, o: s.key_by(first, Types.STRING()).process(OneKeyed(), output_type=ROWS),
    "process": lambda s, o: s.process(One(), output_type=ROWS),
    "reduced": lambda s, o: (
        s.map(lambda v: Row(len(v[0]), 0.1), output_type=ROWS)
        .key_by(lambda v: v[0], Types.LONG())
        .reduce(lambda a, b: a)
    ),
}
BEHIND = {
    "map": lambda s: s.map(lambda v: repr(v), output_type=Types.STRING()),
    "filter, map": lambda s: s.filter(lambda v: v[0] >= 0).map(lambda v: repr(v), output_type=Types.STRING()),
    "flat_map": lambda s: s.flat_map(lambda v: [repr(v)], output_type=Types.STRING()),
}
for kind, make in KINDS.items():
    for name, behind in BEHIND.items():
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(1)
        one = env.from_collection([("a", 1), ("bb", 2)], PAIRS)
        other = env.from_collection([("x", 1)], PAIRS)
        try:
            with behind(make(one, other)).execute_and_collect() as found:
                print(kind, name, sorted(found))
        except Exception as error:
            print(kind, name, "fails", "regularInput" in str(error))
