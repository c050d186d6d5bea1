from pyflink.common import Row, Types
from pyflink.datastream import OutputTag, StreamExecutionEnvironment
from pyflink.datastream.state import MapStateDescriptor
from pyflink.table import (
    DataTypes,
    Schema,
    StreamTableEnvironment,
    TableEnvironment,
)
from pyflink.table.udf import udf, udtf

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
ds = env.from_collection([(1, "a"), (2, "b")], type_info=Types.TUPLE([Types.INT(), Types.STRING()]))
keyed = ds.key_by(lambda value: value[1])
t_env = StreamTableEnvironment.create(env)
tab = t_env.from_elements([(1, "a"), (2, "b")], ["a", "b"])
row = Row(a=1, b=2)


class Plain:
    pass


#: An error may be of two kinds; the first counts.
KINDS = (IndexError, KeyError, TypeError, ValueError, Exception)
CASES = {
    "row: no such key": lambda: row["c"],
    "row: no such place": lambda: row[5],
    "row: both kinds": lambda: Row(1, a=2),
    "row: dict of one without names": lambda: Row(1, 2).as_dict(),
    "row: names of another length": lambda: Row("a", "b")(1, 2, 3),
    "data types: row by unknown name": lambda: DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])["x"],
    "data types: row by float": lambda: DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])[1.5],
    "data types: row by place": lambda: DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])[7],
    "data types: decimal without precision": lambda: DataTypes.DECIMAL(),
    "output tag: empty": lambda: OutputTag(""),
    "output tag: wrong type": lambda: OutputTag("a", 5),
    "map state: one type": lambda: MapStateDescriptor("a", Types.INT()),
    "stream: map of nothing": lambda: ds.map(None),
    "stream: map of a text": lambda: ds.map("a"),
    "stream: map by the wrong class": lambda: ds.map(Plain()),
    "stream: filter of a number": lambda: ds.filter(5),
    "stream: flat_map of a number": lambda: ds.flat_map(5),
    "stream: key_by of a number": lambda: ds.key_by(0),
    "stream: key_by of a name": lambda: ds.key_by("a"),
    "stream: reduce of a number": lambda: keyed.reduce(5),
    "stream: sum of a float": lambda: keyed.sum(1.5),
    "stream: keyed process of a lambda": lambda: keyed.process(lambda value: value),
    "stream: partition_custom of numbers": lambda: ds.partition_custom(5, 6),
    "stream: broadcast of a text": lambda: ds.broadcast("a"),
    "env: collection of a number": lambda: env.from_collection(5),
    "table: iterate": lambda: list(tab),
    "t_env: elements of a wrong type": lambda: t_env.from_elements([(1,)], "a"),
    "t_env: elements that do not fit": lambda: t_env.from_elements(
        [("x",)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())])
    ),
    "t_env: settings and environment": lambda: TableEnvironment.create(5),
    "schema: wrong type": lambda: Schema.new_builder().column("a", 5),
    "udf: no result type": lambda: udf(lambda value: value),
    "udf: a number": lambda: udf(5, result_type=DataTypes.INT()),
    "udf: wrong result type": lambda: udf(lambda value: value, result_type=5),
    "udf: wrong input types": lambda: udf(lambda value: value, input_types=5, result_type=DataTypes.INT()),
    "udf: wrong func type": lambda: udf(lambda value: value, result_type=DataTypes.INT(), func_type="x"),
    "udf: class without eval": lambda: udf(Plain(), result_type=DataTypes.INT()),
    "udtf: wrong result types": lambda: udtf(lambda value: value, result_types=5),
}
for name, make in CASES.items():
    try:
        make()
        print(f"{name}: taken")
    except Exception as error:
        print(f"{name}: {next(kind.__name__ for kind in KINDS if isinstance(error, kind))}")
