from pyflink.common import Types
from pyflink.datastream import CheckpointingMode, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.enable_checkpointing(100)
env.get_checkpoint_config().set_checkpointing_mode(CheckpointingMode.EXACTLY_ONCE)
pairs = env.from_collection([("a", 1), ("a", 2)], type_info=Types.TUPLE([Types.STRING(), Types.INT()]))
pairs.key_by(lambda p: p[0]).sum(1).print()
env.execute()
