from pyflink.common import Row, Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Look(MapFunction):
    def map(self, value):
        return f"{value} {value['age']} {value.name} {value[1]} {value.as_dict()} {value.get_row_kind()}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
person = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])
env.from_collection([Row("ann", 30)], type_info=person).map(Look(), output_type=Types.STRING()).print()
env.execute()
