import pandas as pd
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udaf, udf

tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
tables.get_config().set("parallelism.default", "1")
tables.get_config().set_local_timezone("Asia/Tokyo")


def described(values):
    if isinstance(values, pd.DataFrame):
        return f"{[(name, str(dtype)) for name, dtype in values.dtypes.items()]}"
    if values.dtype == object:
        return f"{values.dtype} {[None if value is None else f'{value.dtype} {list(map(str, value))}' for value in values]}"
    return f"{values.dtype}" + ("" if "," in str(values.dtype) else f" {[str(value) for value in values]}")


@udf(result_type=DataTypes.STRING(), func_type="pandas")
def dtype(values):
    return pd.Series([described(values)] * len(values))


@udaf(result_type=DataTypes.STRING(), func_type="pandas")
def dtype_of_all(values):
    return described(values)


tables.create_temporary_function("dtype", dtype)
tables.create_temporary_function("dtype_of_all", dtype_of_all)
TIME = "TIMESTAMP '2024-01-31 10:11:12.123456'"
KINDS = [f"CAST({TIME} AS TIMESTAMP({digits}))" for digits in (0, 1, 3, 4, 6)]
KINDS += [f"CAST({TIME} AS TIMESTAMP_LTZ({digits}))" for digits in (0, 3, 6)]
KINDS += [f"ARRAY[CAST({TIME} AS TIMESTAMP({digits}))]" for digits in (0, 3, 6)]
for name in ("dtype", "dtype_of_all"):
    calls = ", ".join(f"{name}(CASE WHEN i = 0 THEN {kind} END)" for kind in KINDS)
    with tables.execute_sql(f"SELECT {calls} FROM (VALUES (0), (1)) AS t (i)").collect() as rows:
        for row in rows:
            for kind, text in zip(KINDS, row, strict=True):
                print(name, kind, text)
rows = (
    f"SELECT dtype(CAST(ROW(i, CAST({TIME} AS TIMESTAMP(3))) AS ROW<p INT, q TIMESTAMP(3)>)) FROM (VALUES (0)) AS t (i)"
)
with tables.execute_sql(rows).collect() as found:
    print([row[0] for row in found])
