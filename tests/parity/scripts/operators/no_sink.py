from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, ProcessFunction, StreamExecutionEnvironment

RAN = "ran.txt"


def note(n):
    with open(RAN, "a") as file:
        file.write(f"{n}\n")
    return n


class Process(ProcessFunction):
    def process_element(self, n, ctx):
        yield note(n)


class Keyed(KeyedProcessFunction):
    def process_element(self, n, ctx):
        note(n)


def case(name, build):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        build(env.from_collection([1, 2, 3], type_info=Types.INT()))
        print(type(env.execute()).__name__, flush=True)
    except Exception:
        print("fails", flush=True)


case("map", lambda s: s.map(note))
case("typed map of None", lambda s: s.map(lambda n: None, Types.INT()))
case("flat_map", lambda s: s.flat_map(lambda n: [note(n)]))
case("filter", lambda s: s.filter(note))
case("process", lambda s: s.process(Process()))
case("keyed process", lambda s: s.key_by(lambda n: n).process(Keyed()))
case("keyed map", lambda s: s.key_by(lambda n: n).map(note))
case("reduce", lambda s: s.key_by(lambda n: 0).reduce(lambda a, b: a + b))
case("one that fails", lambda s: s.map(lambda n: 1 // 0))
case("one of two branches", lambda s: [s.map(note), s.print()])
case("two branches", lambda s: [s.map(note), s.filter(note)])
case("a source alone", lambda s: s)
case("a union alone", lambda s: s.union(s))
case("rebalance alone", lambda s: s.rebalance())
