from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment

TEXT, INT = Types.STRING(), Types.INT()
NAMED = Types.ROW_NAMED(["a", "b"], [INT, TEXT])


def case(name, build, values=(1, 2)):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        build(env.from_collection(list(values), type_info=INT))
        env.execute()
    except Exception:
        print("fails", flush=True)


for name, make, kind in (
    ("int for STRING", int, TEXT),
    ("text for INT", str, INT),
    ("float for INT", lambda n: n + 0.5, INT),
    ("int for DOUBLE", int, Types.DOUBLE()),
    ("int for BOOLEAN", int, Types.BOOLEAN()),
    ("fine float for FLOAT", lambda n: n + 0.1, Types.FLOAT()),
    ("large int for INT", lambda n: 2**40 + n, INT),
    ("float for BIG_DEC", float, Types.BIG_DEC()),
    ("tuple for ROW_NAMED", lambda n: (n, "x"), NAMED),
    ("list for ROW_NAMED", lambda n: [n, "x"], NAMED),
    ("dict for ROW_NAMED", lambda n: {"a": n, "b": "x"}, NAMED),
    ("Row without names for ROW_NAMED", lambda n: Row(n, "x"), NAMED),
    ("Row with names for ROW", lambda n: Row(x=n, y="x"), Types.ROW([INT, TEXT])),
    ("list for TUPLE", lambda n: [n, "x"], Types.TUPLE([INT, TEXT])),
    ("Row for TUPLE", lambda n: Row(n, "x"), Types.TUPLE([INT, TEXT])),
    ("tuple for LIST", lambda n: (n, 5), Types.LIST(INT)),
    ("another length for TUPLE", lambda n: (n,), Types.TUPLE([INT, TEXT])),
    ("bytearray for bytes", lambda n: bytearray([n]), Types.PRIMITIVE_ARRAY(Types.BYTE())),
):
    case(name, lambda s, m=make, k=kind: s.map(m, k).map(repr, TEXT).print(), [1])
case("kept by a filter", lambda s: s.map(int, TEXT).filter(lambda v: True).map(repr, TEXT).print())
case("left by a filter", lambda s: s.map(lambda n: n if n == 2 else str(n), TEXT).filter(lambda v: v != 2).print())
case(
    "decimal of a tuple", lambda s: s.map(lambda n: (Decimal(n), "x"), Types.TUPLE([INT, TEXT])).map(repr, TEXT).print()
)


def parted(stream):
    texts = stream.map(int, TEXT)
    texts.map(repr, TEXT).print()
    texts.filter(lambda v: False).print()


case("two branches", parted, [1])


class Tagged(ProcessFunction):
    def process_element(self, n, ctx):
        yield OutputTag("side", TEXT), n
        yield n


side = OutputTag("side", TEXT)
case("side output", lambda s: s.process(Tagged(), INT).get_side_output(side).map(repr, TEXT).print(), [1])
