from pyflink.table import DataTypes
from pyflink.table.expressions import lit

for expression in (
    lit(1),
    lit(-1),
    lit(3000000000),
    lit(1.5),
    lit(-0.0),
    lit(1e20),
    lit("it's"),
    lit(""),
    lit(True),
    lit(False),
    lit(None, DataTypes.INT()),
):
    print(expression)
