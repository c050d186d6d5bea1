import datetime
from decimal import Decimal

from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
inner = DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())])
kinds = [
    (DataTypes.TINYINT(), 1),
    (DataTypes.SMALLINT(), 300),
    (DataTypes.FLOAT(), 1.5),
    (DataTypes.DECIMAL(10, 3), Decimal("3.14")),
    (DataTypes.CHAR(3), "abc"),
    (DataTypes.VARCHAR(5), "abc"),
    (DataTypes.BYTES(), bytearray(b"ab")),
    (DataTypes.DATE(), datetime.date(1969, 12, 31)),
    (DataTypes.TIME(), datetime.time(23, 59, 59)),
    (DataTypes.TIMESTAMP(3), datetime.datetime(2020, 1, 1, 1, 1, 1, 123000)),
    (DataTypes.ARRAY(DataTypes.STRING()), ["a", None]),
    (DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()), {"k": 2}),
    (inner, Row(1, "n")),
    (DataTypes.ARRAY(inner), [Row(1, "n"), Row(2, None)]),
]
fields = [DataTypes.FIELD(f"f{i}", kind) for i, (kind, _) in enumerate(kinds)]
table = env.from_elements([tuple(value for _, value in kinds), (None,) * len(kinds)], DataTypes.ROW(fields))
table.execute().print()
