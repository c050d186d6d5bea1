"""`ExecutionEnvironment`, the environment of batch jobs that Flink had before version 2."""

from __future__ import annotations

from datastream.api.environment import StreamExecutionEnvironment
from datastream.config import Configuration, RuntimeExecutionMode
from datastream.old_names import warn_of_old

__all__ = ["ExecutionEnvironment"]


class ExecutionEnvironment(StreamExecutionEnvironment):
    """A `StreamExecutionEnvironment` in batch mode, for `BatchTableEnvironment`."""

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> ExecutionEnvironment:
        """The environment of this script."""
        warn_of_old(
            "pyflink.dataset.ExecutionEnvironment", "EnvironmentSettings.in_batch_mode() for TableEnvironment.create"
        )
        env = ExecutionEnvironment(configuration)
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        return env
