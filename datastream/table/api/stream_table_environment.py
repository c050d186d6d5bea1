"""`StreamTableEnvironment`: tables and streams of the DataStream API in one program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.api import DataStream, StreamExecutionEnvironment
from datastream.api.accepted_settings import configuration_of
from datastream.api.environment import runtime_mode_of
from datastream.config import RuntimeExecutionMode
from datastream.errors import ValidationError, cut
from datastream.old_names import old_keywords
from datastream.table.api import streams
from datastream.table.api.changelog_mode import ChangelogMode
from datastream.table.api.query import query_of
from datastream.table.api.table import Table
from datastream.table.api.table_environment import TableEnvironment, settings_of
from datastream.table.catalogs.schema import Schema
from datastream.table.config.environment_settings import RUNTIME_MODE, EnvironmentSettings
from datastream.table.dsl.expression import Expression
from datastream.types import TypeInformation


class StreamTableEnvironment(TableEnvironment):
    """A `TableEnvironment` over a `StreamExecutionEnvironment`: tables of streams, and streams of tables."""

    @staticmethod
    @old_keywords(table_config="environment_settings")
    def create(  # type: ignore[override]
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> StreamTableEnvironment:
        """A new environment.

        Args:
            stream_execution_environment: Whose streams and settings are used. Default: a new one.
            environment_settings: The mode, and settings over those. Default: the environment's mode.
        """
        env: Any = stream_execution_environment
        if isinstance(env, EnvironmentSettings) and environment_settings is None:
            env, environment_settings = None, env
        if env is None:
            env = StreamExecutionEnvironment.get_execution_environment()
        if not isinstance(env, StreamExecutionEnvironment):
            raise ValidationError(f"StreamTableEnvironment.create needs a StreamExecutionEnvironment, got {cut(env)}")
        if environment_settings is None:
            mode = "BATCH" if runtime_mode_of(env) is RuntimeExecutionMode.BATCH else "STREAMING"
            configuration_of(env).set_string(RUNTIME_MODE, mode)
            settings = settings_of(configuration_of(env))
        else:
            settings = settings_of(environment_settings)
            env.configure(settings.get_configuration())
        return StreamTableEnvironment(env, settings.get_built_in_catalog_name(), settings.get_built_in_database_name())

    def from_data_stream(self, data_stream: DataStream, *fields_or_schema: Expression[Any] | Schema) -> Table:
        """A table of a stream's records, which are all new rows.

        Args:
            data_stream: Of rows, tuples, or single values, whose type is declared.
            fields_or_schema: A schema, or the columns: ``col("a")``, ``col("ts").rowtime``, ``col("p").proctime``.
                Default: the fields of the records.
        """
        relation = streams.from_stream(self._session, data_stream, fields_or_schema)
        schema = next((each for each in fields_or_schema if isinstance(each, Schema)), None)
        return Table(relation, self, streams.declared(data_stream, relation, schema))

    def from_changelog_stream(
        self, data_stream: DataStream, schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> Table:
        """A table of a stream of `Row`, each with the kind of its change.

        Args:
            data_stream: Of rows.
            schema: The columns. Default: the fields of the rows.
            changelog_mode: The kinds that the rows may have. Default: all. Batch mode reads insertions only.
        """
        relation = streams.from_changelog(self._session, data_stream, schema, changelog_mode)
        return Table(relation, self, streams.declared(data_stream, relation, schema))

    def to_data_stream(self, table: Table) -> DataStream:
        """A stream of `Row` out of a table whose rows are all new.

        Raises:
            ValidationError: the query updates its rows: use `to_changelog_stream`.
        """
        return streams.to_stream(self._session, self._own(table, "to_data_stream"))

    def to_changelog_stream(
        self, table: Table, target_schema: Schema | None = None, changelog_mode: ChangelogMode | None = None
    ) -> DataStream:
        """A stream of `Row`, each with the kind of its change.

        Args:
            table: The table.
            target_schema: The types of the rows. Default: those of the table.
            changelog_mode: The kinds that the rows may have. Default: those that the query produces.
        """
        relation = self._own(table, "to_changelog_stream")
        return streams.to_changelog(self._session, relation, target_schema, changelog_mode)

    def to_append_stream(self, table: Table, type_info: TypeInformation) -> DataStream:
        """A stream of records of a type, out of a table whose rows are all new; the older form of `to_data_stream`."""
        return streams.to_append(self._session, self._own(table, "to_append_stream"), type_info)

    def to_retract_stream(self, table: Table, type_info: TypeInformation) -> DataStream:
        """A stream of pairs: whether a row is added, not taken back; and the record. An older form of changelogs."""
        return streams.to_retract(self._session, self._own(table, "to_retract_stream"), type_info)

    def _own(self, table: Any, call: str) -> Any:
        if not isinstance(table, Table) or query_of(table).t_env is not self:
            raise ValidationError(f"{call} needs a table of this environment, got {cut(table)}")
        return query_of(table).relation

    def _table_of(self, table: Any, fields_or_schema: Sequence[Any]) -> Table:
        if isinstance(table, DataStream):
            return self.from_data_stream(table, *fields_or_schema)
        return super()._table_of(table, fields_or_schema)
