from pyflink.common import Row, Types
from pyflink.datastream import (
    CoMapFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    StreamExecutionEnvironment,
)

TEXT, INT = Types.STRING(), Types.INT()
NAMED = Types.ROW_NAMED(["a", "b"], [INT, TEXT])
SIDE = OutputTag("side", TEXT)


def case(name, build, values=(1, 2, 3)):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        build(env.from_collection(list(values), type_info=INT))
        env.execute()
    except Exception:
        print("fails", flush=True)


def odd(make=str):
    return lambda n: None if n == 2 else make(n)


def there(value):
    return value is not None


def shown(value):
    return repr(value)


class Mapped(MapFunction):
    def map(self, n):
        return odd()(n)


class Processed(ProcessFunction):
    def process_element(self, n, ctx):
        yield odd()(n)


class Keyed(KeyedProcessFunction):
    def process_element(self, n, ctx):
        yield odd()(n)


class Flat(FlatMapFunction):
    def flat_map(self, n):
        yield odd()(n)


class Both(CoMapFunction):
    def map1(self, n):
        return odd()(n)

    def map2(self, n):
        return None


class Sides(ProcessFunction):
    def process_element(self, n, ctx):
        yield SIDE, odd()(n)
        yield n


for name, make, kind in (
    ("string", str, TEXT),
    ("int", int, INT),
    ("long", int, Types.LONG()),
    ("double", float, Types.DOUBLE()),
    ("boolean", bool, Types.BOOLEAN()),
    ("row", lambda n: Row(a=n, b="x"), NAMED),
    ("tuple", lambda n: (n, "x"), Types.TUPLE([INT, TEXT])),
    ("list", lambda n: [n], Types.LIST(INT)),
    ("map", lambda n: {"k": n}, Types.MAP(TEXT, INT)),
):
    case(f"{name}, filter", lambda s, m=make, k=kind: s.map(odd(m), output_type=k).filter(there).print())
    case(f"{name}, print", lambda s, m=make, k=kind: s.map(odd(m), output_type=k).print(), [2])
case("map", lambda s: s.map(odd(), TEXT).map(shown, TEXT).print())
case("map function", lambda s: s.map(Mapped(), TEXT).filter(there).print())
case("flat_map", lambda s: s.map(odd(), TEXT).flat_map(lambda v: [] if v is None else [v, v], TEXT).print())
case("of process", lambda s: s.process(Processed(), TEXT).filter(there).print())
case("of keyed process", lambda s: s.key_by(lambda n: 0).process(Keyed(), TEXT).filter(there).print())
case("of keyed map", lambda s: s.key_by(lambda n: 0).map(odd(), TEXT).map(shown, TEXT).print())
case("of flat_map", lambda s: s.flat_map(Flat(), TEXT).filter(there).print())
case("of flat_map, print", lambda s: s.flat_map(Flat(), TEXT).print(), [2])
case("of co map", lambda s: s.connect(s.map(lambda n: n)).map(Both(), TEXT).print())
case("of side output", lambda s: s.process(Sides(), INT).get_side_output(SIDE).filter(there).print())
case("in a tuple", lambda s: s.map(lambda n: (n, None), Types.TUPLE([INT, TEXT])).map(shown, TEXT).print())
case("in a tuple, print", lambda s: s.map(lambda n: (n, None), Types.TUPLE([INT, TEXT])).print())
case("long chain", lambda s: s.map(odd(), TEXT).map(lambda v: v, TEXT).filter(lambda v: True).filter(there).print())
case("key_by", lambda s: s.map(odd(), TEXT).filter(there).key_by(lambda v: v).map(shown, TEXT).print())
case("two names of one stream", lambda s: [(m := s.map(odd(), TEXT)).filter(there).print(), m.filter(there).print()])
case("collected", lambda s: print(list(s.map(odd(), TEXT).filter(there).execute_and_collect())))
