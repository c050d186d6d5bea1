"""`BatchTableEnvironment`, the table environment of batch jobs before Flink 1.14."""

from __future__ import annotations

from typing import Any

from datastream.api import StreamExecutionEnvironment
from datastream.api.accepted_settings import configuration_of
from datastream.config import RuntimeExecutionMode
from datastream.errors import ValidationError, cut
from datastream.old_names import warn_of_old
from datastream.table.api.table_environment import TableEnvironment
from datastream.table.config.environment_settings import RUNTIME_MODE, EnvironmentSettings
from datastream.table.config.table_config import TableConfig


class BatchTableEnvironment(TableEnvironment):
    """A `TableEnvironment` in batch mode."""

    @staticmethod
    def create(  # type: ignore[override]
        execution_environment: Any = None,
        table_config: TableConfig | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> BatchTableEnvironment:
        """A new environment.

        Args:
            execution_environment: Whose settings are used; or settings. Default: a new one.
            table_config: Settings over those.
            environment_settings: Settings over those.
        """
        warn_of_old("BatchTableEnvironment", "TableEnvironment.create(EnvironmentSettings.in_batch_mode())")
        env = execution_environment
        if isinstance(env, TableConfig):
            env, table_config = None, env
        elif isinstance(env, EnvironmentSettings):
            env, environment_settings = None, env
        if env is None:
            env = StreamExecutionEnvironment.get_execution_environment()
        if not isinstance(env, StreamExecutionEnvironment):
            raise ValidationError(f"BatchTableEnvironment.create needs an ExecutionEnvironment, got {cut(env)}")
        settings = environment_settings or EnvironmentSettings.in_batch_mode()
        env.configure(settings.get_configuration())
        if table_config is not None:
            env.configure(table_config.get_configuration())
        configuration_of(env).set_string(RUNTIME_MODE, "BATCH")
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        return BatchTableEnvironment(env, settings.get_built_in_catalog_name(), settings.get_built_in_database_name())
