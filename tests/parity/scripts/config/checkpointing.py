from pyflink.datastream import CheckpointingMode, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
print(env.get_checkpoint_interval(), env.get_checkpoint_config().is_checkpointing_enabled())
env.enable_checkpointing(2000, CheckpointingMode.AT_LEAST_ONCE)
config = env.get_checkpoint_config()
config.set_min_pause_between_checkpoints(100).set_checkpoint_timeout(60000).set_max_concurrent_checkpoints(1)
print(env.get_checkpoint_interval(), env.get_checkpointing_mode(), config.get_checkpoint_timeout())
print(
    config.get_min_pause_between_checkpoints(), config.get_max_concurrent_checkpoints(), config.get_checkpointing_mode()
)
config.set_tolerable_checkpoint_failure_number(2)
print(config.get_tolerable_checkpoint_failure_number(), config.is_unaligned_checkpoints_enabled())
