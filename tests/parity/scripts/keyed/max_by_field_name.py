from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW_NAMED(["name", "score"], [Types.STRING(), Types.INT()])
rows = env.from_collection([Row("a", 1), Row("a", 3), Row("b", 2)], type_info=row)
rows.key_by(lambda r: r.name, key_type=Types.STRING()).max_by("score").print()
env.execute()
