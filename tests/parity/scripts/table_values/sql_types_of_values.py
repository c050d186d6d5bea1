import datetime
from decimal import Decimal

from pyflink.common import Row
from pyflink.table import DataTypes

DAY = datetime.date(2024, 2, 29)
NOON = datetime.time(12, 0, 1, 5000)
MOMENT = datetime.datetime(2024, 2, 29, 12, 0, 1, 5000)
SPAN = datetime.timedelta(days=1, seconds=2, microseconds=3)
F = DataTypes.FIELD
CASES = [
    (DataTypes.INT(), 5),
    (DataTypes.DECIMAL(10, 2), Decimal("1.5")),
    (DataTypes.STRING(), "a"),
    (DataTypes.BYTES(), b"a"),
    (DataTypes.DATE(), DAY),
    (DataTypes.TIME(), NOON),
    (DataTypes.TIMESTAMP(3), MOMENT),
    (DataTypes.TIMESTAMP_LTZ(3), MOMENT),
    (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()), SPAN),
    (DataTypes.ARRAY(DataTypes.DATE()), [DAY, None]),
    (DataTypes.MAP(DataTypes.STRING(), DataTypes.DATE()), {"a": DAY}),
    (DataTypes.MULTISET(DataTypes.DATE()), [DAY]),
    (DataTypes.ROW([F("a", DataTypes.DATE()), F("b", DataTypes.INT())]), (DAY, 1)),
    (DataTypes.ROW([F("a", DataTypes.DATE()), F("b", DataTypes.INT())]), Row(DAY, 1)),
    (DataTypes.ROW([F("a", DataTypes.DATE()), F("b", DataTypes.INT())]), Row(b=1, a=DAY)),
    (DataTypes.ROW([F("a", DataTypes.DATE()), F("b", DataTypes.INT())]), {"b": 1, "a": DAY}),
    (DataTypes.ROW([F("a", DataTypes.INT()), F("b", DataTypes.INT())]), [1, 2]),
    (DataTypes.ROW([F("a", DataTypes.INT())]), 5),
    (DataTypes.INT(), None),
    (DataTypes.DATE(), None),
    (DataTypes.ROW([F("a", DataTypes.DATE())]), None),
]
for kind, value in CASES:
    try:
        inside = kind.to_sql_type(value)
        print(kind, kind.need_conversion(), repr(inside))
        if not isinstance(inside, (list, tuple)):  # PyFlink reads arrays as if it wrote them
            print(repr(kind.from_sql_type(inside)))
    except Exception as error:
        print(kind, type(error).__name__)
