import datetime as dt
import decimal

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
D = decimal.Decimal
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))
PAIR = Types.ROW_NAMED(["x", "y"], [Types.INT(), Types.STRING()])
#: A type, values that it has, and values that are of another one: those that are told the same here and there.
TYPES = {
    "BOOLEAN": (Types.BOOLEAN(), [True, False], [0, 1, 2, "x", "", 1.5, []]),
    "BYTE": (Types.BYTE(), [0, -128, 127, True], [1.5, D(1), "1"]),
    "SHORT": (Types.SHORT(), [-32768, 32767, True], [1.5, D(1), "1"]),
    "INT": (Types.INT(), [-(2**31), 2**31 - 1, True], [1.0, 1.5, D(1), "1"]),
    "LONG": (Types.LONG(), [-(2**63), 2**63 - 1, True], [2**63, 1.5, D(1), "1"]),
    "FLOAT": (Types.FLOAT(), [0.1, 16777217.0, -0.0, float("inf"), 1e-46, 1, True], [1e39, D("1.5"), "1.5"]),
    "DOUBLE": (Types.DOUBLE(), [0.1, -0.0, float("-inf"), 5e-324, 1, 2**53 + 1, True], [D("1.5"), "1.5"]),
    "STRING": (Types.STRING(), ["", "a", "😀", "a\x00b", "\u2028"], [b"a"]),
    "CHAR": (Types.CHAR(), None, ["ab", "", 1]),
    "BIG_INT": (Types.BIG_INT(), None, [1.5, "1"]),
    "SQL_DATE": (
        Types.SQL_DATE(),
        [dt.date(2024, 2, 29), dt.date(1969, 12, 31), dt.date(9999, 12, 31)],
        ["2024-02-29", 1],
    ),
    "SQL_TIME": (Types.SQL_TIME(), None, ["12:00", 1]),
    "SQL_TIMESTAMP": (
        Types.SQL_TIMESTAMP(),
        None,
        [dt.datetime(2024, 2, 29, 12, tzinfo=EAST), dt.date(2024, 2, 29), "x", 1],
    ),
    "INSTANT": (Types.INSTANT(), None, [1, dt.datetime(2024, 1, 1), "x"]),
    "BYTES": (Types.PRIMITIVE_ARRAY(Types.BYTE()), None, [[1, 2], 1]),
    "INTS": (Types.PRIMITIVE_ARRAY(Types.INT()), [[1, 2], []], [(1, 2), [1.5], ["a"], [None], 1]),
    "DOUBLES": (Types.PRIMITIVE_ARRAY(Types.DOUBLE()), None, [(0.5,), ["a"], [None]]),
    "BOOLEANS": (Types.PRIMITIVE_ARRAY(Types.BOOLEAN()), [[True, False]], [[1, 0], ["a"]]),
    "STRINGS": (Types.BASIC_ARRAY(Types.STRING()), [["a", ""], [], ["a", None]], [("a",), "ab"]),
    "INTEGERS": (Types.BASIC_ARRAY(Types.INT()), [[1, None]], [(1,)]),
    "LIST": (Types.LIST(Types.INT()), None, [[1.5], ["a"], {1, 2}, "ab", {1: 2}]),
    "LIST of STRING": (Types.LIST(Types.STRING()), None, ["ab", [1]]),
    "MAP": (Types.MAP(Types.STRING(), Types.INT()), None, [{"a": 1.5}, [("a", 1)]]),
    "MAP of LIST": (Types.MAP(Types.STRING(), Types.LIST(Types.INT())), [{"a": [1]}, {"b": []}], []),
    "TUPLE": (
        Types.TUPLE([Types.INT(), Types.STRING()]),
        [(1, "a"), (2, None), (None, "a")],
        [[1, "a"], Row(1, "a"), (1,), (1, "a", 2), ("a", 1), (1.5, "a")],
    ),
    "ROW": (
        PAIR,
        [Row(1, "a"), Row(x=1, y="a"), Row(None, None)],
        [(1, "a"), [1, "a"], Row(y="a", x=1), {"x": 1, "y": "a"}, Row(1), Row(1, "a", 2), (1,), 5],
    ),
    "ROW without names": (
        Types.ROW([Types.INT(), Types.STRING()]),
        [Row(1, "a"), Row(None, None)],
        [(1, "a"), [1, "a"]],
    ),
    "TUPLE of FLOAT": (Types.TUPLE([Types.FLOAT(), Types.BOOLEAN()]), [(0.1, True)], [(1, 1), ("a", True)]),
}


def shown(value):
    kind = type(value).__name__
    if isinstance(value, Row):
        return (
            f"Row({', '.join(map(shown, value))}) {value.get_row_kind()} {list(getattr(value, '_fields', None) or ())}"
        )
    if isinstance(value, (list, tuple, set)):
        return f"{kind}({', '.join(map(shown, value))})"
    if isinstance(value, dict):
        return f"{kind}({', '.join(f'{shown(k)}: {shown(v)}' for k, v in value.items())})"
    return f"{kind} {ascii(value)}"


def given(kind, values):
    return env.from_collection(values, type_info=kind)


def collected(kind, values):
    try:
        with given(kind, values).execute_and_collect() as found:
            return [shown(value) for value in found]
    except Exception:
        return None


for name, (kind, values, others) in TYPES.items():
    if values is not None:
        print(name, "given:", collected(kind, values))
    for value in others:
        print(name, shown(value), "->", collected(kind, [value]))
