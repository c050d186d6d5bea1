import pandas as pd
from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment, TableFunction
from pyflink.table.udf import udf, udtf

env = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
env.get_config().set("parallelism.default", "1")
TYPES = [DataTypes.BIGINT(), DataTypes.STRING()]
PAIR = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.BIGINT()), DataTypes.FIELD("b", DataTypes.STRING())])
table = env.from_elements([(1, "x,y"), (2, ""), (3, "z")], ["n", "w"])


@udtf(result_types=TYPES)
def split(row: Row) -> Row:
    for each in row.w.split(","):
        yield row.n, each


@udtf(result_types=TYPES)
def by_place(row):
    for each in row[1].split(","):
        if each:
            yield Row(row[0], each)


@udtf(result_types=DataTypes.STRING())
def shown(row):
    return [f"{type(row).__name__} {len(row)}"]


class Split(TableFunction):
    def eval(self, row):
        for each in row[1].split(","):
            yield row[0], each.upper()


@udf(result_type=PAIR)
def mapped(row):
    return Row(row.n * 10, row.w)


@udf(result_type=PAIR)
def doubled(row):
    return Row(row[0] * 2, row[1] + row[1])


@udf(result_type=PAIR, func_type="pandas")
def framed(frame):
    return pd.concat([frame.n + 1, frame.w], axis=1)


def show(name, make):
    print(name, flush=True)
    try:
        made = make()
        print(made.get_schema().get_field_names(), flush=True)
        made.execute().print()
    except Exception:
        print("fails", flush=True)


show("join", lambda: table.join_lateral(split.alias("a", "b")))
show("left join", lambda: table.left_outer_join_lateral(split.alias("a", "b")))
show("left join of few", lambda: table.left_outer_join_lateral(by_place.alias("a", "b")))
show("join of a class", lambda: table.join_lateral(udtf(Split(), result_types=TYPES).alias("a", "b")))
show("what it gets", lambda: table.join_lateral(shown.alias("a")))
show("join without an alias", lambda: table.join_lateral(split))
show("two joins", lambda: table.join_lateral(split.alias("a", "b")).join_lateral(shown.alias("c")))
show("flat_map", lambda: table.flat_map(split))
show("map", lambda: table.map(mapped))
show("map behind map", lambda: table.map(mapped).map(doubled))
show("map with pandas", lambda: table.map(framed))
