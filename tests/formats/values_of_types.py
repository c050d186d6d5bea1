"""Values of each type for rows of one field: what Flink makes of them is in ``written_by_flink.json``.

Imports neither project: PyFlink's `Types`, `Row` and `Instant` fit as well.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

WHOLE = [0, 1, -1, 127, -128]
DOUBLES = [0.0, -0.0, 0.1, 1e7, 9999999.5, 1e-3, 9.99e-4, 1e22, 1.7976931348623157e308, 5e-324, 123456789.125]
SPECIAL = [float("nan"), float("inf"), float("-inf")]
FLOATS = [0.0, -0.0, 0.5, 1e7, 0.1, 1e10, 1e-5, 3.4028234663852886e38, 1.401298464324817e-45]
TEXTS = [
    "",
    "a",
    'say "x"',
    "two\nlines",
    "a,b;c|d",
    "\t\r\b\f\\/",
    "\x00\x01\x1f\x7f\x80",
    "é漢\u2028\ufeff",
    "😀",
    " lead ",
    "null",
    "\\u001f",
    "#x",
]
DATES = [
    datetime.date(2024, 2, 29),
    datetime.date(1970, 1, 1),
    datetime.date(1969, 12, 31),
    datetime.date(9999, 12, 31),
]
TIMES = [datetime.time(0, 0), datetime.time(23, 59, 59), datetime.time(12, 0)]
STAMPS = [
    datetime.datetime(2024, 2, 29, 12, 0),
    datetime.datetime(2024, 2, 29, 12, 0, 0, 500_000),
    datetime.datetime(2024, 2, 29, 12, 0, 0, 1_000),
    datetime.datetime(1970, 1, 1),
]
DECIMALS = ["0", "1.50", "-0.5", "1E+3", "1E-7", "0.000001", "123456789012345678901234567890.123", "100"]


def cases(types: Any, row: Any, instant: Any) -> dict[str, tuple[Any, list[Any]]]:
    """Name -> the type of the field, and its values.

    Args:
        types: The class `Types`.
        row: The class `Row`.
        instant: The class `Instant`.
    """
    text, whole = types.STRING(), types.INT()
    pair = types.ROW_NAMED(["x", "y"], [whole, text])
    return {
        "STRING": (text, TEXTS),
        "BOOLEAN": (types.BOOLEAN(), [True, False]),
        "BYTE": (types.BYTE(), WHOLE),
        "SHORT": (types.SHORT(), [*WHOLE, 32767, -32768]),
        "INT": (whole, [*WHOLE, 2**31 - 1, -(2**31)]),
        "LONG": (types.LONG(), [*WHOLE, 2**63 - 1, -(2**63), 2**53 + 1]),
        "DOUBLE": (types.DOUBLE(), [*DOUBLES, *SPECIAL]),
        "FLOAT": (types.FLOAT(), [*FLOATS, *SPECIAL]),
        "BIG_DEC": (types.BIG_DEC(), [Decimal(text) for text in DECIMALS]),
        "SQL_DATE": (types.SQL_DATE(), DATES),
        "SQL_TIME": (types.SQL_TIME(), TIMES),
        "SQL_TIMESTAMP": (types.SQL_TIMESTAMP(), STAMPS),
        "INSTANT": (types.INSTANT(), [instant(0, 0), instant(1_709_208_000, 500_000_000), instant(-1, 999_000_000)]),
        "BYTES": (types.PRIMITIVE_ARRAY(types.BYTE()), [b"", b"ab", b"\x00\xff\xfb"]),
        "INTS": (types.PRIMITIVE_ARRAY(whole), [[], [1, -2]]),
        "DOUBLES": (types.PRIMITIVE_ARRAY(types.DOUBLE()), [[], [1.5, 1e10]]),
        "BASIC_ARRAY": (types.BASIC_ARRAY(text), [[], ["a", "b;c", 'd"']]),
        "OBJECT_ARRAY": (types.OBJECT_ARRAY(pair), [[], [row(1, "a"), row(2, "b")]]),
        "ROW": (pair, [row(1, "a"), row(2, None), row(3, "a;b,c")]),
        "ROW_WITHOUT_NAMES": (types.ROW([whole, text]), [row(1, "a")]),
        "MAP": (types.MAP(text, whole), [{}, {"a": 1}, {'say "x"': 2}, {"😀": None}]),
        "MAP_OF_INTS": (types.MAP(whole, text), [{1: "a"}]),
        "MAP_OF_BOOLEANS": (types.MAP(types.BOOLEAN(), text), [{True: "a"}]),
        "MAP_OF_ROWS": (types.MAP(text, pair), [{"a": row(1, "b")}]),
        "NONE": (text, [None]),
    }
