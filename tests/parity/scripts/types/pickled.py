from dataclasses import dataclass

from pyflink.datastream import StreamExecutionEnvironment


@dataclass
class Point:
    x: int
    y: int


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
points = env.from_collection([Point(1, 2), Point(3, 4)])
points.map(lambda p: Point(p.y, p.x)).print()
env.execute()
