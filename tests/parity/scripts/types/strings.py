from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
words = env.from_collection(["plain", "", "größe", "日本", 'with "quotes"', "tab\there"], type_info=Types.STRING())
words.map(lambda w: w, output_type=Types.STRING()).print()
env.execute()
