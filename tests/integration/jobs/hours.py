"""A table whose partitions are committed; the process that commits is killed before it says that one is complete."""

import os
import signal
import sys

from pyflink.table import EnvironmentSettings, TableEnvironment


class Dying:
    """Kills its process, once."""

    def __init__(self, marker):
        self.marker = marker

    def commit(self, context):
        if not os.path.exists(self.marker):
            with open(self.marker, "w") as file:
                file.write(context.partition_path())
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    folder, path = sys.argv[1:]
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2")
    t_env.execute_sql(
        "CREATE TABLE readings (n INT, ts AS TIMESTAMPADD(HOUR, n / 10, TIMESTAMP '2020-01-01 00:00:00'), "
        "WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen', 'number-of-rows' = '100', "
        "'fields.n.kind' = 'sequence', 'fields.n.start' = '0', 'fields.n.end' = '99')"
    )
    t_env.execute_sql(
        "CREATE TABLE hours (n INT, h STRING) PARTITIONED BY (h) WITH ('connector' = 'filesystem', 'format' = 'csv', "
        f"'path' = '{path}', 'sink.partition-commit.policy.kind' = 'custom,success-file', "
        "'sink.partition-commit.policy.class' = 'hours.Dying', "
        f"'sink.partition-commit.policy.class.parameters' = '{folder}/killed', "
        "'sink.partition-commit.trigger' = 'partition-time', 'sink.partition-commit.delay' = '1 h')"
    )
    t_env.execute_sql("INSERT INTO hours SELECT n, CAST(ts AS STRING) FROM readings").wait()
