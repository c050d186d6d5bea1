from pyflink.common import Types
from pyflink.datastream import CoFlatMapFunction, CoMapFunction, CoProcessFunction, StreamExecutionEnvironment

INT, TEXT = Types.INT(), Types.STRING()


class FlatMap(CoFlatMapFunction):
    def flat_map1(self, value):
        yield f"1 {value}"

    def flat_map2(self, value):
        yield f"2 {value}"


class Map(CoMapFunction):
    def map1(self, value):
        return f"1 {value!r}"

    def map2(self, value):
        return f"2 {value!r}"


class Process(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"1 {value[0]} {value[1]} {len(value)}"

    def process_element2(self, value, ctx):
        yield f"2 {value}"


def case(name, build):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        lines = build(env.from_collection([5, 6], INT), env.from_collection(["a"], TEXT))
        with lines.execute_and_collect() as found:
            print(sorted(found), flush=True)
    except Exception:
        print("fails", flush=True)


def key(value):
    return str(value)


case("flat_map", lambda n, t: n.key_by(key, TEXT).connect(t.broadcast()).flat_map(FlatMap(), TEXT))
case("map", lambda n, t: n.key_by(key, TEXT).connect(t.broadcast()).map(Map(), TEXT))
case("process", lambda n, t: n.key_by(key, TEXT).connect(t.broadcast()).process(Process(), TEXT))
case("without a type of keys", lambda n, t: n.key_by(key).connect(t.broadcast()).map(Map(), TEXT))
case("not broadcast", lambda n, t: n.key_by(key, TEXT).connect(t).map(Map(), TEXT))
case("the second is keyed", lambda n, t: t.connect(n.key_by(key, TEXT)).map(Map(), TEXT))
case("the second is keyed, process", lambda n, t: n.connect(t.key_by(lambda v: v)).process(Process(), TEXT))
case("records without a type", lambda n, t: n.map(lambda v: (v, v)).key_by(lambda v: v[0]).connect(t).map(Map(), TEXT))
