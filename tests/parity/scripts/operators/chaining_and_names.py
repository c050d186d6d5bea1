from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
numbers = env.from_collection([1, 2, 3], type_info=Types.INT()).name("numbers")
doubled = numbers.map(lambda x: 2 * x, output_type=Types.INT()).name("double").uid("double").disable_chaining()
doubled.filter(lambda x: x > 2).start_new_chain().set_parallelism(1).print().name("printer")
print(numbers.get_name(), doubled.get_name())
env.execute("names")
