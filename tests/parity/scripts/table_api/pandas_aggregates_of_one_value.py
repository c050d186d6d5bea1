import numpy
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import udaf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
rows = env.from_elements([(1,), (2,)], DataTypes.ROW([DataTypes.FIELD("i", DataTypes.BIGINT())]))
FORMS = {
    "series": lambda i: i.head(1),
    "array": lambda i: i.values[:1],
    "scalar": lambda i: numpy.int64(i.sum()),
    "two": lambda i: i,
}
for kind in ("INT", "DOUBLE"):
    for name, form in FORMS.items():
        try:
            call = udaf(form, result_type=kind, func_type="pandas")(col("i"))
            with rows.select(call.alias("x")).execute().collect() as found:
                print(kind, name, *found)
        except Exception:
            print(kind, name, "refused")
