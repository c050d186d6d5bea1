from pyflink.common import Types
from pyflink.datastream import MapFunction, StreamExecutionEnvironment


class Look(MapFunction):
    def map(self, value):
        return f"{value} {value['f0']} {value.f1} {value[0]} {len(value)} {value.as_dict()} {list(value)}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
row = Types.ROW([Types.INT(), Types.STRING()])
env.from_collection([(1, "a"), (2, "b")], type_info=row).map(Look(), output_type=Types.STRING()).print()
env.execute()
