import os
from datetime import date, datetime, time
from decimal import Decimal

from pyflink.common import Encoder, Row, Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import BucketAssigner, FileSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
INT, STRING, DOUBLE = Types.INT(), Types.STRING(), Types.DOUBLE()
CASES = {
    "numbers": (DOUBLE, [1.0, 1e10, 1e-5, 100.0, float("nan"), float("-inf"), -0.0]),
    "floats": (Types.FLOAT(), [0.1, 1e10, 16777216.0, 3.4e38]),
    "whole": (Types.LONG(), [1, -9223372036854775808]),
    "small": (Types.BYTE(), [1, -128]),
    "decimals": (Types.BIG_DEC(), [Decimal("1E+3"), Decimal("1.50"), Decimal("1E-10")]),
    "truths": (Types.BOOLEAN(), [True, False]),
    "texts": (STRING, ["a", "", "two words", "a,b", "é😀", "a\nb", "null"]),
    "dates": (Types.SQL_DATE(), [date(2024, 2, 29), date(1, 1, 1)]),
    "times": (Types.SQL_TIME(), [time(1, 2, 3)]),
    "timestamps": (Types.SQL_TIMESTAMP(), [datetime(2024, 2, 29, 12), datetime(2024, 2, 29, 12, 0, 0, 120000)]),
    "bytes": (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"ab\xff", b""]),
    "ints": (Types.PRIMITIVE_ARRAY(INT), [[1, 2], []]),
    "strings": (Types.BASIC_ARRAY(STRING), [["a", None], []]),
    "doubles": (Types.OBJECT_ARRAY(DOUBLE), [[1.5, None]]),
    "lists": (Types.LIST(STRING), [["a", "b"], []]),
    "maps": (Types.MAP(STRING, INT), [{"a": 1}, {"b": None}, {}]),
    "tuples": (Types.TUPLE([INT, STRING, DOUBLE]), [(1, "a", 1e10)]),
    "rows": (Types.ROW_NAMED(["a", "b"], [INT, STRING]), [Row(a=1, b=None), Row(a=None, b="x")]),
    "nested": (Types.ROW([Types.ROW([INT]), Types.LIST(DOUBLE), Types.MAP(INT, STRING)]), [Row(Row(1), [1e10], {1: "a"})]),
}  # fmt: skip

for name, (kind, values) in CASES.items():
    sink = FileSink.for_row_format(os.path.abspath(name), Encoder.simple_string_encoder())
    sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    stream = env.from_collection(list(range(len(values)))).map(lambda i, values=values: values[i], output_type=kind)
    stream.sink_to(sink)
    try:
        env.execute(name)
        print(name, "ok", flush=True)
    except Exception:
        print(name, "fails", flush=True)
