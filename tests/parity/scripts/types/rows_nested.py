from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
inner = Types.ROW_NAMED(["x", "y"], [Types.INT(), Types.INT()])
outer = Types.ROW_NAMED(["name", "point"], [Types.STRING(), inner])
points = env.from_collection([Row("a", Row(1, 2)), Row("b", None)], type_info=outer)
points.map(lambda p: Row(p.name, p.point), output_type=outer).print()
env.execute()
