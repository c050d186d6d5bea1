import datetime as dt
from decimal import Decimal

import pandas as pd
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1").set_local_timezone("Asia/Tokyo")


def show(values, kind=None):
    schema = None if kind is None else DataTypes.ROW([DataTypes.FIELD("a", kind)])
    try:
        table = env.from_pandas(pd.DataFrame({"a": values}), schema)
        table.print_schema()
        with table.execute().collect() as rows:
            print([repr(list(row)) for row in rows], flush=True)
    except Exception:
        print(list(values), kind, "fails", flush=True)


def times(unit=None, zone=None, text="2024-01-31 12:00:00.123"):
    found = pd.to_datetime([text])
    found = found if unit is None else found.as_unit(unit)
    return found if zone is None else found.tz_localize(zone)


show(times())
show(times("ms"))
show(times("s", text="2024-01-31"))
show(times(zone="UTC"))
show(times(zone="America/New_York"))
show(times(), DataTypes.TIMESTAMP(3))
show(times(), DataTypes.TIMESTAMP(0))
show(times(text="2024-01-31 12:00:00.123456"), DataTypes.TIMESTAMP(3))
show(times(zone="America/New_York"), DataTypes.TIMESTAMP(3))
show([dt.time(1, 2, 3, 456000)])
show([dt.time(1, 2, 3, 456000)], DataTypes.TIME(3))
show([dt.time(1, 2, 3)], DataTypes.TIME(0))
show([dt.date(2024, 1, 31), None])
show([Decimal("1.5"), Decimal("12.25")])
show([Decimal("1.5"), Decimal("1.550")], DataTypes.DECIMAL(10, 2))
show([Decimal("1.555")], DataTypes.DECIMAL(10, 2))
show([Decimal("123.5")], DataTypes.DECIMAL(3, 2))
show([300], DataTypes.TINYINT())
show([1, None])
show([True, False])
show([True, None])
show([b"a"])
show([[1, 2], None])
show([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}])
show(["a", None])
show([1.5], DataTypes.INT())
show([1.0], DataTypes.INT())
show([0.1], DataTypes.FLOAT())
show(pd.Series([0.1], dtype="float32"))
show([1], DataTypes.STRING())
show(["1"], DataTypes.INT())
