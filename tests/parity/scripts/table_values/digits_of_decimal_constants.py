from decimal import Decimal

from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.udf import udf

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
said = udf(lambda value: repr(value), result_type=DataTypes.STRING())
tab = t_env.from_elements(
    [(7, Decimal("5"))],
    DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("d", DataTypes.DECIMAL(5, 2))]),
)
with (
    tab.select(
        said(col("d")),
        said(lit(Decimal("1.50"))),
        said(lit(Decimal("1.5"), DataTypes.DECIMAL(10, 3).not_null())),
        said(lit(5).cast(DataTypes.DECIMAL(5, 2))),
        said(col("a").cast(DataTypes.DECIMAL(5, 2))),
    )
    .execute()
    .collect() as rows
):
    for row in rows:
        print(*row, sep="\n")
