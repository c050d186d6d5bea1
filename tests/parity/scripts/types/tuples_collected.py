from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
nested = Types.TUPLE([Types.STRING(), Types.TUPLE([Types.INT(), Types.ROW([Types.DOUBLE()])])])
for value in env.from_collection([("a", (1, Row(2.5)))], type_info=nested).execute_and_collect():
    print(value, type(value[1]).__name__, type(value[1][1]).__name__)
