"""The files of success of partitions at the end of a job, in both modes."""

import os

from pyflink.table import EnvironmentSettings, TableEnvironment

KIND = "sink.partition-commit.policy.kind"
TRIGGER = "sink.partition-commit.trigger"
PATTERN = "partition.time-extractor.timestamp-pattern"
CASES = {
    "none": {},
    "process-time": {KIND: "success-file"},
    "case": {KIND: "SUCCESS-FILE"},
    "name": {KIND: "success-file", "sink.partition-commit.success-file.name": "_done"},
    "delay": {KIND: "success-file", "sink.partition-commit.delay": "1 h"},
    "partition-time": {KIND: "success-file", TRIGGER: "partition-time", PATTERN: "$day $h:00:00"},
    "shuffled": {KIND: "success-file", "sink.shuffle-by-partition.enable": "true"},
}
for settings in (EnvironmentSettings.in_batch_mode(), EnvironmentSettings.in_streaming_mode()):
    mode = "streaming" if settings.is_streaming_mode() else "batch"
    t_env = TableEnvironment.create(settings)
    for keys in ("PARTITIONED BY (`day`, h)", ""):
        for name, options in CASES.items():
            path = os.path.abspath(f"{mode}-{name}-{len(keys)}")
            given = {"connector": "filesystem", "path": path, "format": "csv"} | options
            listed = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
            table = f"{name.replace('-', '_')}_{len(keys)}"
            t_env.execute_sql(f"CREATE TABLE `{table}` (n INT, `day` STRING, h INT) {keys} WITH ({listed})")
            t_env.execute_sql(f"INSERT INTO `{table}` VALUES (1, '2020-01-01', 9), (2, '2020-01-02', 10)").wait()
            found = [
                os.path.relpath(os.path.join(root, file), path)
                for root, _, files in os.walk(path)
                for file in files
                if file.startswith("_")
            ]
            print(mode, name, keys[:5], sorted(found))
