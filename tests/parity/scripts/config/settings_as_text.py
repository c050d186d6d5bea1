from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

READ = {
    "pipeline.auto-watermark-interval": lambda env: env.get_config().get_auto_watermark_interval(),
    "execution.checkpointing.interval": lambda env: env.get_checkpoint_interval(),
    "pipeline.operator-chaining.enabled": lambda env: env.is_chaining_enabled(),
    "pipeline.operator-chaining": lambda env: env.is_chaining_enabled(),
    "pipeline.global-job-parameters": lambda env: sorted(env.get_config().get_global_job_parameters().items()),
    "execution.checkpointing.savepoint-dir": lambda env: env.get_default_savepoint_directory(),
}
INTERVALS = [
    "50 ms",
    "1 s",
    "PT1S",
    "PT1H30M",
    "PT0.25S",
    "pt2m",
    "P1DT1H",
    "2000 micros",
    "5000000 ns",
    "1 hour",
    "2 MIN",
    "3 parsecs",
]
VALUES = {
    "pipeline.auto-watermark-interval": INTERVALS,
    "execution.checkpointing.interval": ["PT10S", "10s", "1000"],
    "pipeline.operator-chaining.enabled": ["false", "true"],
    "pipeline.operator-chaining": ["false", "true"],
    "pipeline.global-job-parameters": [
        "a:1,b:2",
        "url:'http://host:80/a?b',n:'it''s'",
        "{a: 1, b: text}",
        '{"a": "1", "b": "x:y,z"}',
        "{url: 'http://host', \"c\": d}",
    ],
    "execution.checkpointing.savepoint-dir": ["file:///tmp/savepoints", "/tmp/savepoints"],
}
for key, values in VALUES.items():
    for value in values:
        settings = Configuration()
        settings.set_string(key, value)
        for how in ("made with", "configured"):
            try:
                if how == "made with":
                    env = StreamExecutionEnvironment.get_execution_environment(settings)
                else:
                    env = StreamExecutionEnvironment.get_execution_environment()
                    env.configure(settings)
                print(key, value, how, READ[key](env))
            except Exception:
                print(key, value, how, "fails")
