"""Ends by itself."""

from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
sales = env.from_collection([(f"shop {n % 8}", n) for n in range(20_000)]).uid("sales")
sales.key_by(lambda sale: sale[0]).sum(1).uid("totals").filter(lambda sale: sale[1] % 1000 == 0).print()
env.execute("daily report")
