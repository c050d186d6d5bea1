# parity: any order
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col
from pyflink.table.udf import AsyncScalarFunction, udf

WORDS = "name names state states function functions records messages buffer config timer timers row table futures future executor loop event_loop capacity timeout retry result results queue lock index output input coroutine task tasks pool"
NAMES = WORDS.split()


class Async(AsyncScalarFunction):
    def __init__(self):
        for i, name in enumerate(NAMES):
            setattr(self, name, i)
            setattr(self, f"_{name}", -i)

    async def eval(self, n):
        wrong = [m for i, m in enumerate(NAMES) if getattr(self, m) != i or getattr(self, f"_{m}") != -i]
        return f"async {n} {wrong}"


env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")
table = env.from_elements([(1,), (2,), (3,)], DataTypes.ROW([DataTypes.FIELD("n", DataTypes.BIGINT())]))
called = udf(Async(), result_type=DataTypes.STRING())
for one in (table, table.where(col("n") == 2)):
    with one.select(col("n"), called(col("n"))).execute().collect() as found:
        print(*found, sep="\n")
    with one.select(called(col("n"))).execute().collect() as found:
        print(*found, sep="\n")
