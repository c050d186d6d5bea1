from dataclasses import dataclass

from pyflink.datastream import StreamExecutionEnvironment


@dataclass(frozen=True)
class City:
    name: str
    country: str


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
visits = env.from_collection([("Bern", "CH", 1), ("Rome", "IT", 2), ("Bern", "CH", 3)])
visits.key_by(lambda v: City(v[0], v[1])).sum(2).print()
env.execute()
