# parity: any order
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([(1, "a"), (2, "b"), (3, "a")], Types.TUPLE([Types.INT(), Types.STRING()]))
keyed = pairs.key_by(lambda value: value[1])
keyed.print("alone")
pairs.key_by(lambda value: value[1], Types.STRING()).print("with a type")
keyed.key_by(lambda value: value[0]).print("twice")
keyed.map(lambda value: value[0], Types.INT()).print("map")
keyed.filter(lambda value: value[0] > 1).print("filter")
keyed.union(pairs.key_by(lambda value: value[0])).print("union")
keyed.map(lambda value: value).key_by(lambda value: value[0]).print("behind an untyped map")
env.execute()
print(type(keyed).__name__, type(keyed.map(lambda value: value)).__name__)
for name, last in {
    "of a source": lambda: pairs.key_by(lambda value: print("key of", value) or value[1]),
    "of a map": lambda: pairs.map(lambda value: print("seen", value) or value).key_by(lambda value: value[1]),
}.items():
    last()
    try:
        env.execute()
        print(name, "runs")
    except Exception as error:
        print(name, "fails:", "No operators" in str(error))
