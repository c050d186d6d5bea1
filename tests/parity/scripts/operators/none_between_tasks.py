from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

TEXT, INT = Types.STRING(), Types.INT()


def case(name, kind, build):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    print(name, flush=True)
    try:
        build(env.from_collection([1], type_info=INT).map(lambda n: None, kind)).map(repr, TEXT).print()
        env.execute()
    except Exception:
        print("fails", flush=True)


for name, kind in (
    ("string", TEXT),
    ("int", INT),
    ("long", Types.LONG()),
    ("double", Types.DOUBLE()),
    ("float", Types.FLOAT()),
    ("boolean", Types.BOOLEAN()),
    ("decimal", Types.BIG_DEC()),
    ("date", Types.SQL_DATE()),
    ("time", Types.SQL_TIME()),
    ("timestamp", Types.SQL_TIMESTAMP()),
    ("instant", Types.INSTANT()),
    ("bytes", Types.PRIMITIVE_ARRAY(Types.BYTE())),
    ("array", Types.BASIC_ARRAY(TEXT)),
    ("objects", Types.OBJECT_ARRAY(TEXT)),
    ("list", Types.LIST(INT)),
    ("map", Types.MAP(TEXT, INT)),
    ("tuple", Types.TUPLE([INT, TEXT])),
    ("row", Types.ROW([INT, TEXT])),
    ("named row", Types.ROW_NAMED(["a"], [INT])),
):
    case(f"{name}, rebalance", kind, lambda s: s.rebalance())
    case(f"{name}, key_by", kind, lambda s: s.key_by(lambda v: 1))
    case(f"{name}, not chained", kind, lambda s: s.disable_chaining())
