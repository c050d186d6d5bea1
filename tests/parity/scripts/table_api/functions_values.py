import datetime
from decimal import Decimal

from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")


def shows(kind):
    return udf(lambda value: f"{type(value).__name__} {value!r}", result_type=DataTypes.STRING())


def gives(value, kind):
    return udf(lambda: value, result_type=kind)


env.create_temporary_function("shown", shows(None))
row = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])
for name, value, kind in (
    ("d", Decimal("1.5"), DataTypes.DECIMAL(10, 3)),
    ("day", datetime.date(2020, 2, 3), DataTypes.DATE()),
    ("moment", datetime.datetime(2020, 2, 3, 4, 5, 6, 7000), DataTypes.TIMESTAMP(3)),
    ("tick", datetime.time(1, 2, 3), DataTypes.TIME()),
    ("l", [1, None], DataTypes.ARRAY(DataTypes.INT())),
    ("m", {"k": 1}, DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
    ("r", Row(1, "n"), row),
    ("b", b"ab", DataTypes.BYTES()),
    ("t", True, DataTypes.BOOLEAN()),
    ("f", 1.5, DataTypes.FLOAT()),
):
    env.create_temporary_function(f"give_{name}", gives(value, kind))
names = ["d", "day", "moment", "tick", "l", "m", "r", "b", "t", "f"]
env.execute_sql("SELECT " + ", ".join(f"give_{name}() AS {name}_" for name in names)).print()
with env.execute_sql(
    "SELECT " + ", ".join(f"shown(give_{name}()) AS {name}_" for name in names if name not in ("d", "r"))
).collect() as rows:
    for each in next(rows):
        print(each)
