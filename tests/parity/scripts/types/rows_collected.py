from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
person = Types.ROW_NAMED(["name", "tags"], [Types.STRING(), Types.LIST(Types.STRING())])
people = env.from_collection([Row("ann", ["x", "y"]), Row(None, [])], type_info=person)
for value in people.map(lambda p: p, output_type=person).execute_and_collect():
    print(value, repr(value))
