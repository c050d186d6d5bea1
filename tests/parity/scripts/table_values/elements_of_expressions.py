from decimal import Decimal

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import array, col, concat, lit, map_, null_of, row

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
F = DataTypes.FIELD


def rows_of(*kinds):
    return DataTypes.ROW([F(name, kind) for name, kind in zip("abcdef", kinds, strict=False)])


CASES = {
    "numbers and texts": (
        [row(1, "abc", 2.0), row(2, "def", 3.0)],
        rows_of(DataTypes.INT(), DataTypes.STRING(), DataTypes.FLOAT()),
    ),
    "to wider types": ([row(1, 2), row(3, 4)], rows_of(DataTypes.BIGINT(), DataTypes.DECIMAL(10, 2))),
    "to narrower types": ([row(1.5, 300)], rows_of(DataTypes.INT(), DataTypes.SMALLINT())),
    "text to number": ([row("1", "2.5")], rows_of(DataTypes.INT(), DataTypes.DOUBLE())),
    "null": ([row(1, null_of(DataTypes.STRING())), row(2, "b")], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "None": ([row(1, None), row(2, "b")], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "computed": ([row(lit(1) + 1, concat("a", "b"))], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "nested": (
        [row(1, row("a", 2)), row(2, row("b", 3))],
        rows_of(DataTypes.INT(), DataTypes.ROW([F("x", DataTypes.STRING()), F("y", DataTypes.BIGINT())])),
    ),
    "arrays and maps": (
        [row(array(1, 2), map_("k", 1))],
        rows_of(DataTypes.ARRAY(DataTypes.INT()), DataTypes.MAP(DataTypes.STRING(), DataTypes.INT())),
    ),
    "times": (
        [row(lit("2024-02-29").to_date, lit("2024-02-29 01:02:03").to_timestamp)],
        rows_of(DataTypes.DATE(), DataTypes.TIMESTAMP(3)),
    ),
    "decimals": ([row(lit(Decimal("1.25")))], rows_of(DataTypes.DECIMAL(10, 3))),
    "single values": ([lit(1), lit(2)], rows_of(DataTypes.INT())),
    "too few": ([row(1)], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "too many": ([row(1, "a")], rows_of(DataTypes.INT())),
    "different lengths": ([row(1, "a"), row(1)], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "not cast": ([row(array(1))], rows_of(DataTypes.INT())),
    "some are not": ([row(1, "a"), (2, "b")], rows_of(DataTypes.INT(), DataTypes.STRING())),
    "a column": ([row(col("a"), "a")], rows_of(DataTypes.INT(), DataTypes.STRING())),
}
for name, (rows, kind) in CASES.items():
    print("==", name)
    try:
        table = t_env.from_elements(rows, kind)
        table.print_schema()
        with table.execute().collect() as found:
            print(sorted(str(each) for each in found))
    except Exception:
        print("refused")
