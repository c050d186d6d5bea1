"""FLIP-130, "Example"."""

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()

# create a DataStream from a python object list
ds = env.from_collection(
    [("ab", 1), ("abc", 2), ("abcd", 3), ("abcde", 4)], type_info=Types.ROW([Types.STRING(), Types.INT()])
)

# set the parallelism of this operator to 3
ds.set_parallelism(3)

# keyed the DataStream with the second field of the record, then
# transform the DataStream with a map function, finally, print the
# transformation result to console.
ds.key_by(lambda x: x[1]).map(lambda x: (x[0], x[1] + 1)).print()
env.execute()
