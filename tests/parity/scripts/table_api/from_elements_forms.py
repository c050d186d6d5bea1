from pyflink.common import Row
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment

env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
env.get_config().set("parallelism.default", "1")


def shown(*arguments, **more):
    try:
        env.from_elements(*arguments, **more).print_schema()
    except Exception:
        print("refused")


row = DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b", DataTypes.STRING())])
shown([(1, "x")])
shown([(1, "x")], ["a"])
shown([(1, "x")], ["a", "b"])
shown([(1, "x")], row)
shown([Row(a=1, b="x")])
shown([Row(1, "x")], ["p", "q"])
shown([[1, "x"]])
shown([{"a": 1, "b": "x"}])
shown([(1, None), (None, "x")], ["a", "b"])
shown([(1,), (2.5,)], ["a"])
shown([(1, "x"), (2, 3)], ["a", "b"])
shown([(1, "x", 2)], row)
shown([(1, 2)], row)
shown([("1", "x")], row)
shown([], row)
shown([])
shown([(2**40,)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT())]))
shown([(None,)], DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT().not_null())]))
shown([(None,)])
