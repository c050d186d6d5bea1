from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


a = col("a")
for expression in (
    a + 1,
    a - 1,
    a * 2,
    a / 2,
    a % 2,
    -a,
    a == 1,
    a != 1,
    a > 1,
    a >= 1,
    a < 1,
    a <= 1,
    (a > 1) & (a < 3),
    (a > 1) | (a < 0),
    ~(a > 1),
    a.is_null,
    a.is_not_null,
    a.alias("b"),
    a.upper_case,
    a.lower_case,
    a.char_length,
    a.substring(1, 2),
    a.like("x%"),
    a.between(1, 2),
    a.in_(1, 2),
    a.count,
    a.sum,
    a.avg,
    a.min,
    a.max,
    a.desc,
    a.asc,
    lit("x"),
    lit(1),
    lit(None) if False else lit(True),
    a.abs,
    a.cardinality,
    a.at(1),
):
    print(expression)
