from pyflink.common import Configuration
from pyflink.datastream import EmbeddedRocksDBStateBackend, HashMapStateBackend, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
backend = HashMapStateBackend()
rocks = EmbeddedRocksDBStateBackend(True)
print(
    type(backend).__name__,
    rocks.is_incremental_checkpoints_enabled() if hasattr(rocks, "is_incremental_checkpoints_enabled") else "",
)
env.configure(Configuration().set_string("state.backend.type", "hashmap"))
env.from_collection([("a", 1), ("a", 2)]).key_by(lambda p: p[0]).sum(1).print()
env.execute()
