# parity: any order

from pyflink.common import Types
from pyflink.datastream import MapFunction, Partitioner, StreamExecutionEnvironment


class ByLength(Partitioner):
    def partition(self, key, num_partitions):
        return key % num_partitions


class Where(MapFunction):
    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map(self, value):
        return f"{value} in subtask {self.subtask}"


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
words = env.from_collection(["a", "bb", "ccc", "dddd"], type_info=Types.STRING())
words.partition_custom(ByLength(), len).map(Where(), output_type=Types.STRING()).print()
env.execute()
