from pyflink.common import Row, Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
person = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])
people = env.from_collection([Row("ann", 30), Row(name="bob", age=None)], type_info=person)
people.print()
people.map(lambda p: p.name + "!", output_type=Types.STRING()).print()
print(people.get_type())
env.execute()
