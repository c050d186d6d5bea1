import datetime as dt
from decimal import Decimal

import numpy as np
from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")
env.get_config().set("table.display.max-column-width", "80")
PAIR = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))
WHOLE = [
    None,
    True,
    False,
    0,
    -1,
    127,
    -128,
    1.0,
    1.5,
    -1.5,
    -0.9,
    Decimal("1.5"),
    Decimal("-1.999"),
    np.int64(5),
    np.float64(2.5),
    np.int8(-3),
]
FLOATS = [
    None,
    True,
    1,
    2**63,
    1.5,
    0.1,
    16777217.0,
    -0.0,
    float("nan"),
    float("-inf"),
    1e39,
    1e-46,
    Decimal("1.5"),
    np.float32(0.1),
    np.int64(5),
]
DECIMALS = [
    None,
    *map(
        Decimal,
        (
            "1.5",
            "1",
            "1.005",
            "1.015",
            "1.025",
            "-1.005",
            "-1.015",
            "0.005",
            "0.015",
            "1.0050000001",
            "999.994",
            "1E+2",
            "1E-30",
            "2.5",
            "3.5",
        ),
    ),
]
TEXTS = [None, "a", "", "abcd", "a ", "\U0001f600", "a\U0001f600bc", "\u00e9\u0000"]
BYTES = [None, b"ab", b"abcd", b"", b"abc", bytearray(b"\x00\xff\x80")]
DAYS = [
    None,
    dt.date(1, 1, 1),
    dt.date(9999, 12, 31),
    dt.date(1969, 12, 31),
    dt.datetime(2024, 2, 29, 23, 59, 59),
    dt.datetime(2024, 2, 29, 23, tzinfo=EAST),
]
TICKS = [
    None,
    dt.time(23, 59, 59, 999999),
    dt.time(0, 0),
    dt.time(1, 2, 3, 4000, tzinfo=EAST),
    dt.datetime(2024, 2, 29, 1, 2, 3, 456789),
]
NAIVE = [
    None,
    dt.datetime(2024, 2, 29, 23, 59, 59, 999999),
    dt.datetime(1969, 12, 31, 23, 59, 59),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC),
]
MOMENTS = [*NAIVE, dt.datetime(2024, 2, 29, 1, 2, 3, 456789, tzinfo=EAST)]
CASES = [
    (
        DataTypes.BOOLEAN(),
        [None, True, False, 1, 0, 2, 1.0, 0.0, 0.5, Decimal("0.5"), Decimal(0), np.bool_(True), np.int64(0)],
    ),
    (DataTypes.TINYINT(), WHOLE),
    (DataTypes.SMALLINT(), [*WHOLE, 32767, -32768, 300.7]),
    (DataTypes.INT(), [*WHOLE, 2**31 - 1, -(2**31), 2147483647.9]),
    (DataTypes.BIGINT(), [*WHOLE, 2**63 - 1, -(2**63), 1e18, Decimal(2**63 - 1), 9007199254740993.0]),
    (DataTypes.FLOAT(), FLOATS),
    (DataTypes.DOUBLE(), FLOATS),
    (DataTypes.DECIMAL(5, 2), DECIMALS),
    (DataTypes.DECIMAL(38, 18), DECIMALS),
    (DataTypes.DECIMAL(10, 0), DECIMALS),
    (DataTypes.STRING(), TEXTS),
    (DataTypes.CHAR(3), TEXTS),
    (DataTypes.VARCHAR(3), TEXTS),
    (DataTypes.BYTES(), BYTES),
    (DataTypes.BINARY(3), BYTES),
    (DataTypes.VARBINARY(3), BYTES),
    (DataTypes.DATE(), DAYS),
    (DataTypes.TIME(), TICKS),
    (DataTypes.TIME(3), TICKS),
    (DataTypes.TIMESTAMP(0), MOMENTS),
    (DataTypes.TIMESTAMP(3), MOMENTS),
    (DataTypes.TIMESTAMP_LTZ(0), NAIVE),
    (DataTypes.TIMESTAMP_LTZ(3), NAIVE),
    (DataTypes.ARRAY(DataTypes.INT()), [None, [1, 2], [1, None], [], [True], [1.9]]),
    (DataTypes.ARRAY(DataTypes.STRING()), [["a", None], ["\U0001f600"]]),
    (DataTypes.ARRAY(DataTypes.DECIMAL(5, 2)), [[Decimal("1.005")], [Decimal("1.015"), None]]),
    (DataTypes.ARRAY(DataTypes.TIMESTAMP(3)), [[value] for value in MOMENTS]),
    (DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), [None, {"a": 1}, {"a": None}, {}, {"a": 1.5}]),
    (DataTypes.MAP(DataTypes.INT(), DataTypes.DECIMAL(5, 2)), [{1: Decimal("1.005")}, {1.5: Decimal(1)}]),
    (PAIR, [None, Row(1, "a"), Row(x=1, y="a"), Row(y="a", x=1), Row(None, None), Row(1.5, "b")]),
]
FAILING = [
    (DataTypes.TINYINT(), 128),
    (DataTypes.INT(), 2147483648.0),
    (DataTypes.BIGINT(), "1"),
    (DataTypes.BIGINT(), float("nan")),
    (DataTypes.DECIMAL(5, 2), Decimal("999.995")),
    (DataTypes.DECIMAL(5, 2), Decimal("NaN")),
    (DataTypes.DECIMAL(5, 2), 1.5),
    (DataTypes.STRING(), 1),
    (DataTypes.BYTES(), "a"),
    (DataTypes.DATE(), "2024-01-01"),
    (DataTypes.TIMESTAMP(3), dt.date(2024, 1, 1)),
]


def text(value):
    return f"numpy {value.item()!r}" if isinstance(value, np.generic) else ascii(value)


def show(kind, values):
    function = udf(lambda i: values[i], result_type=kind)
    places = [(i, text(value)) for i, value in enumerate(values)]
    row = DataTypes.ROW([DataTypes.FIELD("i", DataTypes.INT()), DataTypes.FIELD("returned", DataTypes.STRING())])
    made = function(col("i")).alias("a")
    env.from_elements(places, row).select(col("returned"), made).execute().print()


for kind, values in CASES:
    print(kind)
    show(kind, values)
for kind, value in FAILING:
    try:
        show(kind, [value])
    except Exception:
        print(kind, ascii(value), "fails")
