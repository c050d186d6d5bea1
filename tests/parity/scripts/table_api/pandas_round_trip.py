import datetime
from decimal import Decimal

import pandas as pd
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"], "c": [1.5, 2.5, float("nan")], "d": [True, False, True]})
table = env.from_pandas(frame)
table.print_schema()
table.execute().print()
found = table.where(col("a") > 1).to_pandas()
print(found.to_dict("list")["a"], list(found.columns), [str(kind) for kind in found.dtypes])
env.from_pandas(frame[["a", "b"]], ["p", "q"]).print_schema()
env.from_pandas(frame[["a", "b"]], [DataTypes.INT(), DataTypes.STRING()]).print_schema()
row = DataTypes.ROW([DataTypes.FIELD("k", DataTypes.SMALLINT()), DataTypes.FIELD("v", DataTypes.STRING())])
env.from_pandas(frame[["a", "b"]], row).print_schema()
more = pd.DataFrame(
    {
        "m": [Decimal("1.50"), Decimal("-12.5")],
        "y": [b"ab", None],
        "l": [[1, 2], []],
        "e": [datetime.date(2020, 1, 1), None],
    }
)
table = env.from_pandas(more)
table.print_schema()
table.execute().print()
print(env.from_elements([(1, "a")], ["n", "w"]).to_pandas())
