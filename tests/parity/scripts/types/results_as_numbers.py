from datetime import time
from decimal import Decimal

from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
INT, DOUBLE, BOOLEAN, LONG = Types.INT(), Types.DOUBLE(), Types.BOOLEAN(), Types.LONG()
CASES = [
    (INT, True), (LONG, False), (Types.SHORT(), True), (Types.BYTE(), True), (Types.FLOAT(), True), (DOUBLE, False),
    (BOOLEAN, 1), (BOOLEAN, 0), (BOOLEAN, 0.0), (BOOLEAN, "x"), (BOOLEAN, []),
    (INT, 1.0), (LONG, Decimal("2")), (DOUBLE, Decimal("1.5")), (DOUBLE, "1.5"), (Types.STRING(), True),
    (Types.LIST(INT), [True, 2]), (Types.TUPLE([INT, DOUBLE, BOOLEAN]), (True, False, 1)),
    (Types.ROW([INT, DOUBLE, BOOLEAN]), Row(True, False, 0)), (Types.ROW_NAMED(["a", "b"], [LONG, BOOLEAN]), Row(a=True, b=1)),
    (Types.MAP(INT, BOOLEAN), {True: 1}), (Types.PRIMITIVE_ARRAY(INT), [True, 2]), (Types.BASIC_ARRAY(BOOLEAN), [1, 0]),
    (Types.OBJECT_ARRAY(DOUBLE), [True, Decimal("2.5")]),
    (Types.BIG_DEC(), 3), (Types.BIG_DEC(), Decimal("1E+3")), (Types.BIG_DEC(), Decimal("1E-10")), (Types.BIG_DEC(), Decimal("0E-10")),
    (Types.BIG_DEC(), Decimal("-12E-11")), (Types.BIG_DEC(), Decimal("1.50")), (Types.SQL_TIME(), time(1, 2, 3)),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), b"a\xff"), (Types.BASIC_ARRAY(Types.BYTE()), [1, 2]),
]  # fmt: skip


def show(value):
    return f"{value!r} {type(value).__name__}"


for number, (kind, value) in enumerate(CASES):
    for keyed in (False, True):
        stream = env.from_collection([0]).map(lambda _, value=value: value, output_type=kind)
        if keyed:
            stream = stream.key_by(lambda _: 1).map(show, output_type=Types.STRING())
        try:
            with stream.execute_and_collect() as results:
                print(number, value, [show(result) for result in results], flush=True)
        except Exception:
            print(number, value, "fails", flush=True)
