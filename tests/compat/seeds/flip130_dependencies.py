"""FLIP-130, "Dependency management", and the tables of "StreamTableEnvironment"."""

import os

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

with open("more.py", "w") as file:
    file.write("def plus(value):\n    return value + 40\n")
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.add_python_file(os.path.abspath("more.py"))
env.register_cache_file(os.path.abspath("more.py"), "more")


def added(value):
    from more import plus

    return plus(value)


ds = env.generate_sequence(1, 2)
ds.map(added, Types.LONG).print()
env.execute()

t_env = StreamTableEnvironment.create(env)
table = t_env.from_data_stream(
    env.from_collection([(1, "a"), (2, "b")], Types.TUPLE([Types.INT, Types.STRING])), "n, w"
)
t_env.to_append_stream(table.where("n > 1"), Types.ROW([Types.INT, Types.STRING])).print()
t_env.to_retract_stream(table.group_by("w").select("w, n.sum"), Types.ROW([Types.STRING, Types.INT])).print()
env.execute()
