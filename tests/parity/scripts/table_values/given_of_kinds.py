import array
import datetime as dt
from decimal import Decimal
from zoneinfo import ZoneInfo

from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
env.get_config().set("table.local-time-zone", "UTC")
env.get_config().set("table.display.max-column-width", "80")
NEW_YORK = ZoneInfo("America/New_York")
PAIR = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))
WHOLE = [None, True, 0, -128, 127, 128, -129, 32767, 32768, 2**31 - 1, 2**31, 1.0, 1.5, Decimal(1), "1", b"1"]
FLOATS = [None, True, 1.5, 0.1, 16777217.0, -0.0, float("nan"), float("-inf"), 1e39, 1e-46, "1.5", [1.5]]
DECIMALS = [*map(Decimal, ("1.5", "1.005", "1.015", "-1.005", "999.994", "1E+2", "1E-30")), None, True, 1.5, "1.5"]
TEXTS = [None, "a", "", "abc", "abcd", "a ", "😀", "😀😀😀", "a😀bc", b"abc", 1, True, ["a"]]
BYTES = [None, bytearray(b"ab"), bytearray(b"\x00\xff\x80"), bytearray(b"abcd"), bytearray(), "abc", [1, 2, 3]]
DAYS = [None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1969, 12, 31), "2024-02-29", 5, dt.time(1)]
MOMENTS = [
    dt.datetime(2024, 2, 29, 23, 59, 59, 999999),
    dt.datetime(1969, 12, 31, 23, 59, 59),
    dt.datetime(1, 1, 2),
    dt.datetime(2024, 2, 29, 1, 2, 3, 456789, tzinfo=EAST),
    dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC),
    dt.datetime(2024, 7, 1, 23, tzinfo=NEW_YORK),
]
TICKS = [
    None,
    dt.time(23, 59, 59, 999999),
    dt.time(0, 0),
    dt.time(1, 2, 3, 4000, tzinfo=EAST),
    dt.time(23, tzinfo=dt.UTC),
    dt.time(12, tzinfo=NEW_YORK),
    "12:00:00",
    dt.datetime(2024, 2, 29, 12),
]
ROWS = [None, (1, "a"), (1, None), [1, "a"], Row(1, "a"), Row(x=1, y="a"), Row(y="a", x=1), {"x": 1, "y": "a"}]
CASES = [
    (DataTypes.BOOLEAN(), [None, True, False, 1, 0, "true", 1.0]),
    (DataTypes.TINYINT(), WHOLE),
    (DataTypes.SMALLINT(), WHOLE),
    (DataTypes.INT(), WHOLE),
    (DataTypes.BIGINT(), [*WHOLE, 2**63 - 1, -(2**63)]),
    (DataTypes.FLOAT(), FLOATS),
    (DataTypes.DOUBLE(), FLOATS),
    (DataTypes.DECIMAL(5, 2), DECIMALS),
    (DataTypes.DECIMAL(38, 18), DECIMALS),
    (DataTypes.STRING(), TEXTS),
    (DataTypes.CHAR(3), TEXTS),
    (DataTypes.VARCHAR(3), TEXTS),
    (DataTypes.BYTES(), BYTES),
    (DataTypes.BINARY(3), BYTES),
    (DataTypes.VARBINARY(3), BYTES),
    (DataTypes.DATE(), [*DAYS, *MOMENTS]),
    (DataTypes.TIME(), TICKS),
    (DataTypes.TIME(3), TICKS),
    (DataTypes.TIMESTAMP(0), [*MOMENTS, *DAYS[:5]]),
    (DataTypes.TIMESTAMP(3), MOMENTS),
    (DataTypes.TIMESTAMP_LTZ(0), MOMENTS),
    (DataTypes.TIMESTAMP_LTZ(3), [*MOMENTS, *DAYS[:5]]),
    (DataTypes.ARRAY(DataTypes.INT()), [None, [1, 2], [1, None], [], (1, 2), array.array("i", [1, 2]), [1.5], 5, "12"]),
    (DataTypes.ARRAY(DataTypes.VARCHAR(1)), [["a"], ["ab"], ["a", None], "ab", [1]]),
    (DataTypes.ARRAY(DataTypes.DATE()), [[dt.date(2024, 2, 29)], [dt.datetime(2024, 2, 29, 12)], ["2024-02-29"]]),
    (
        DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
        [None, {"a": 1}, {}, {"a": "b"}, {1: 1}, {"a": 1.5}, [1], "a"],
    ),
    (PAIR, [*ROWS, (1,), (1, "a", 2), ("a", 1), {"x": 1}, 5, "ab"]),
    (DataTypes.INT().not_null(), [1, None]),
]


def given(kind, values):
    row = DataTypes.ROW([DataTypes.FIELD("given", DataTypes.STRING()), DataTypes.FIELD("a", kind)])
    return env.from_elements([(ascii(value), value) for value in values], row)


for kind, values in CASES:
    print(kind)
    taken = []
    for value in values:
        try:
            given(kind, [value])
            taken.append(value)
        except Exception:
            print(ascii(value), "is refused")
    given(kind, taken).execute().print()
