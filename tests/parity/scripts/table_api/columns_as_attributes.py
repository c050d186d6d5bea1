from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.expressions import col, lit
from pyflink.table.udf import udf

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("parallelism.default", "1")
orders = t_env.from_elements([(1, "pen", 2), (2, "ink", 3), (3, "pen", 1)], ["id", "item", "n"])
prices = t_env.from_elements([("pen", 5), ("ink", 7)], ["name", "price"])


@udf(result_type=DataTypes.BIGINT())
def twice(n):
    return 2 * n


def show(table):
    print(sorted(str(row) for row in table.execute().collect()))


show(orders.select(orders.id, orders.n + 1))
show(orders.where(orders.item == "pen").select(orders.id))
show(orders.select(twice(orders.n).alias("m")))
show(orders.join(prices, orders.item == prices.name).select(orders.id, orders.n * prices.price))
show(orders.group_by(orders.item).select(orders.item, orders.n.sum.alias("s")))
doubled = orders.select(orders.id, (orders.n * lit(2)).alias("doubled"))
show(doubled.filter(doubled.doubled > 2))
show(orders.add_columns((orders.n + orders.id).alias("both")).drop_columns(orders.n, col("item")))
show(orders.order_by(orders.n.desc).limit(1).select(orders.id))
print(orders.id, orders.n, type(orders.id).__name__)
named = t_env.from_elements([(1, 2)], ["select", "relation"])
print(callable(named.select), named.relation)
show(named.select(named.relation, col("select")))
for name in ("price", "Id", "keyBy", "_private"):
    try:
        getattr(orders, name)
    except AttributeError as error:
        print(type(error).__name__, str(error).partition(";")[0])
print(hasattr(orders, "item"), hasattr(orders, "nothing"), hasattr(orders, "__len__"))
