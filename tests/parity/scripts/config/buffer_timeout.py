from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

for key, value in (
    ("execution.buffer-timeout.interval", "5 ms"),
    ("execution.buffer-timeout.interval", "2 s"),
    ("execution.buffer-timeout.interval", "0"),
    ("execution.buffer-timeout.enabled", "false"),
    ("execution.buffer-timeout.enabled", "true"),
):
    settings = Configuration()
    settings.set_string(key, value)
    print(key, value, StreamExecutionEnvironment.get_execution_environment(settings).get_buffer_timeout())
env = StreamExecutionEnvironment.get_execution_environment()
for timeout in (100, 0, -1, 7):
    print(timeout, env.set_buffer_timeout(timeout).get_buffer_timeout())
try:
    env.set_buffer_timeout(-2)
except Exception:
    print("-2 fails")
stream = env.from_collection([1, 2])
print(stream.map(lambda value: value).set_buffer_timeout(10).get_name())
