from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(3).set_max_parallelism(64)
print(env.get_parallelism(), env.get_max_parallelism())
env.set_buffer_timeout(50)
print(env.get_buffer_timeout())
env.get_config().set_auto_watermark_interval(500)
print(env.get_config().get_auto_watermark_interval(), env.is_chaining_enabled(), env.get_config().get_parallelism())
env.disable_operator_chaining()
print(env.is_chaining_enabled())
