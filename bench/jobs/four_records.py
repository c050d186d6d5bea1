"""A job of four records: what it takes is what a start takes."""

from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2, 3, 4]).map(lambda x: (x % 2, x)).key_by(lambda r: r[0]).reduce(
    lambda a, b: (a[0], a[1] + b[1])
).print()
env.execute("four records")
