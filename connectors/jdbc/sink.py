"""`JdbcSink`: records as parameters of a statement."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Backoff, BatchingSink, TransactionalSink, WriterContext
from datastream.types import RowTypeInfo, TupleTypeInfo, TypeInformation

from .dialects import dialect_of
from .options import JdbcConnectionOptions, JdbcExecutionOptions
from .statement import Statement, parse
from .writing import StatementWriter

#: The table of markers, unless another one is named.
MARKERS = "datastream_epochs"
_TABLE = re.compile(r"[A-Za-z_][\w.]*")
#: As in Flink.
_PAUSE_MS = 1_000


@dataclass(frozen=True)
class JdbcSink(BatchingSink):
    """Writes each record by a statement, at least once. Made by `sink`; see also `exactly_once_sink`.

    A batch is one transaction; it is tried again when the database was away. An epoch that runs again writes its
    records again: with a statement that replaces rows by a key (``INSERT ... ON CONFLICT ... DO UPDATE``) they are
    there once.
    """

    statement: Statement
    type_info: TypeInformation | None
    connection_options: JdbcConnectionOptions
    execution_options: JdbcExecutionOptions = field(default_factory=JdbcExecutionOptions)

    @staticmethod
    def sink(
        sql: str,
        type_info: RowTypeInfo,
        jdbc_connection_options: JdbcConnectionOptions,
        jdbc_execution_options: JdbcExecutionOptions | None = None,
    ) -> JdbcSink:
        """A sink that writes at least once.

        Args:
            sql: A statement with a ``?`` for each field, as JDBC has it; ``??`` is an operator's question mark.
            type_info: Type of the records: a row's or a tuple's.
            jdbc_connection_options: The database.
            jdbc_execution_options: Size of batches and retries. Default: Flink's.

        Raises:
            ValidationError: The statement has not as many parameters as the type has fields.
        """
        parts = _checked("JdbcSink.sink", sql, type_info, jdbc_connection_options, jdbc_execution_options)
        return JdbcSink(*parts)

    @staticmethod
    def exactly_once_sink(
        sql: str,
        type_info: RowTypeInfo,
        jdbc_connection_options: JdbcConnectionOptions,
        jdbc_execution_options: JdbcExecutionOptions | None = None,
        marker_table: str = MARKERS,
    ) -> ExactlyOnceJdbcSink:
        """A sink that writes exactly once: each subtask's epoch in one transaction, which also sets a marker.

        Java's ``exactlyOnceSink`` needs XA transactions; this needs a table of its own in the database.

        Args:
            sql: As of `sink`.
            type_info: As of `sink`.
            jdbc_connection_options: The database.
            jdbc_execution_options: Size of batches. Default: Flink's.
            marker_table: The table, made unless it is there: ``name`` and ``epoch``, a row for each subtask.

        Raises:
            ValidationError: As of `sink`; or the table's name is none.
        """
        parts = _checked("JdbcSink.exactly_once_sink", sql, type_info, jdbc_connection_options, jdbc_execution_options)
        if not isinstance(marker_table, str) or not _TABLE.fullmatch(marker_table):
            raise ValidationError(f"JdbcSink.exactly_once_sink: {cut(marker_table)} is no name of a table")
        return ExactlyOnceJdbcSink(*parts, marker_table)

    @property
    def batch_size(self) -> int:  # type: ignore[override]
        return self.execution_options.batch_size or sys.maxsize

    @property
    def batch_ms(self) -> int | None:  # type: ignore[override]
        return self.execution_options.batch_interval_ms or None

    @property
    def backoff(self) -> Backoff:  # type: ignore[override]
        return Backoff(self.execution_options.max_retries, _PAUSE_MS)

    def validate(self) -> None:
        dialect_of(self.connection_options).check()

    def connect(self, context: WriterContext) -> StatementWriter:
        dialect = dialect_of(self.connection_options)
        return StatementWriter(self.statement, dialect, self.execution_options, dialect.connect())

    def write(self, connection: StatementWriter, records: list[Any]) -> None:
        connection.write(records)
        connection.commit()


@dataclass(frozen=True)
class ExactlyOnceJdbcSink(TransactionalSink):
    """Writes each record by a statement, exactly once; see `JdbcSink.exactly_once_sink`."""

    statement: Statement
    type_info: TypeInformation | None
    connection_options: JdbcConnectionOptions
    execution_options: JdbcExecutionOptions
    marker_table: str

    def validate(self) -> None:
        dialect_of(self.connection_options).check()

    def connect(self) -> StatementWriter:
        dialect = dialect_of(self.connection_options)
        table = StatementWriter(self.statement, dialect, self.execution_options, dialect.connect())
        markers = dialect.marker_statements(self.marker_table)
        try:
            try:
                table.execute(markers.read, ("",))
            except ConnectionError:
                raise
            except Exception:  # there is no such table: to make one takes a right that is not needed else
                self._make(table, markers.create)
            table.roll_back()
        except BaseException:
            table.close()
            raise
        return table

    @staticmethod
    def _make(table: StatementWriter, create: str) -> None:
        table.roll_back()
        try:
            table.execute(create)
            table.commit()
        except ConnectionError:
            raise
        except Exception:
            table.roll_back()  # another subtask has just made it
            table.execute(create)
            table.commit()

    def last_epoch(self, connection: StatementWriter, name: str) -> int | None:
        connection.roll_back()  # what an attempt that was broken off has left
        found = connection.execute(connection.dialect.marker_statements(self.marker_table).read, (name,))
        connection.roll_back()
        connection.marker = int(found[0][0]) if found else None
        return connection.marker

    def write(self, connection: StatementWriter, records: list[Any]) -> None:
        connection.write(records)

    def commit(self, connection: StatementWriter, name: str, epoch: int) -> None:
        markers = connection.dialect.marker_statements(self.marker_table)
        try:
            if connection.marker is None:
                moved = connection.change(markers.first, (name, epoch))
            else:
                moved = connection.change(markers.move, (epoch, name, connection.marker))
        except ConnectionError:
            raise
        except Exception as error:
            raise self._overtaken(connection, name) from error
        if not moved:
            raise self._overtaken(connection, name)
        connection.commit()
        connection.marker = epoch

    def _overtaken(self, connection: StatementWriter, name: str) -> ConnectionError:
        """The error of an attempt at a task that runs beside another one, which was first."""
        connection.roll_back()
        return ConnectionError(
            f"{connection.dialect.shown()}: another attempt at this task has written to {self.marker_table} for "
            f"{name!r} meanwhile; nothing of this one stays"
        )


def _checked(
    call: str,
    sql: str,
    type_info: Any,
    connection: JdbcConnectionOptions,
    execution: JdbcExecutionOptions | None,
) -> tuple[Statement, TypeInformation | None, JdbcConnectionOptions, JdbcExecutionOptions]:
    statement = parse(sql)
    if not isinstance(connection, JdbcConnectionOptions):
        raise ValidationError(
            f"{call} needs JdbcConnectionOptions; call .build() on the builder; got {cut(connection)}"
        )
    if execution is not None and not isinstance(execution, JdbcExecutionOptions):
        raise ValidationError(f"{call} needs JdbcExecutionOptions; call .build() on the builder; got {cut(execution)}")
    fields = None
    if isinstance(type_info, (RowTypeInfo, TupleTypeInfo)):
        fields = len(type_info.get_field_types())
    elif type_info is not None:
        raise ValidationError(f"{call} needs the type of a row or a tuple, got {cut(type_info)}")
    if fields is not None and fields != statement.parameters:
        raise ValidationError(
            f"{call}: the statement has {statement.parameters} parameters, and the type {fields} fields: {cut(sql)}"
        )
    dialect_of(connection)
    return statement, type_info, connection, execution or JdbcExecutionOptions()
