"""`JdbcSink`: records as parameters of a statement."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Backoff, BatchingSink, TransactionalSink, WriterContext
from datastream.types import RowTypeInfo, TupleTypeInfo, TypeInformation

from .dialects import Dialect, dialect_of
from .fields import fields_of
from .options import JdbcConnectionOptions, JdbcExecutionOptions
from .statement import Statement, parse

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

    def connect(self, context: WriterContext) -> _Table:
        dialect = dialect_of(self.connection_options)
        return _Table(self.statement, dialect, self.execution_options, dialect.connect())

    def write(self, connection: _Table, records: list[Any]) -> None:
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

    def connect(self) -> _Table:
        dialect = dialect_of(self.connection_options)
        table = _Table(self.statement, dialect, self.execution_options, dialect.connect())
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
    def _make(table: _Table, create: str) -> None:
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

    def last_epoch(self, connection: _Table, name: str) -> int | None:
        connection.roll_back()  # what an attempt that was broken off has left
        found = connection.execute(connection.dialect.marker_statements(self.marker_table).read, (name,))
        connection.roll_back()
        connection.marker = int(found[0][0]) if found else None
        return connection.marker

    def write(self, connection: _Table, records: list[Any]) -> None:
        connection.write(records)

    def commit(self, connection: _Table, name: str, epoch: int) -> None:
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

    def _overtaken(self, connection: _Table, name: str) -> ConnectionError:
        """The error of an attempt at a task that runs beside another one, which was first."""
        connection.roll_back()
        return ConnectionError(
            f"{connection.dialect.shown()}: another attempt at this task has written to {self.marker_table} for "
            f"{name!r} meanwhile; nothing of this one stays"
        )


class _Table:
    """A connection that writes records by a statement, in the transaction that is open.

    All methods raise a ConnectionError where the database is away.

    Attributes:
        dialect: The kind of database.
        marker: The marker that was read last.
    """

    marker: int | None = None

    def __init__(self, statement: Statement, dialect: Dialect, options: JdbcExecutionOptions, connection: Any) -> None:
        self._sql, self._parameters = statement.of_driver(dialect.parameter), statement.parameters
        self.dialect, self._size, self._connection = dialect, options.batch_size, connection

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Run a statement of the dialect; its rows."""
        with self.dialect.away(), closing(self._connection.cursor()) as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def change(self, statement: str, parameters: Sequence[Any]) -> int:
        """Run a statement of the dialect; how many rows it changed."""
        with self.dialect.away(), closing(self._connection.cursor()) as cursor:
            cursor.execute(statement, parameters)
            return int(cursor.rowcount)

    def commit(self) -> None:
        """Commit what was written."""
        with self.dialect.away():
            self._connection.commit()

    def roll_back(self) -> None:
        """Undo what was written."""
        with self.dialect.away():
            self._connection.rollback()

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def write(self, records: Sequence[Any]) -> None:
        """Write some records.

        Raises:
            ConnectionError: The database is away.
            ValidationError: It refuses a record, or that has not as many fields as the statement has parameters.
        """
        size = self._size or len(records) or 1
        for begin in range(0, len(records), size):
            part = records[begin : begin + size]
            rows = [self._row(record) for record in part]
            try:
                with self.dialect.away(), closing(self._connection.cursor()) as cursor:
                    cursor.executemany(self._sql, rows)
            except ConnectionError:
                raise
            except Exception as error:
                raise self._refused(rows, error) from error

    def _row(self, record: Any) -> tuple[Any, ...]:
        row = fields_of(record)
        if len(row) != self._parameters:
            raise ValidationError(
                f"JdbcSink: the statement has {self._parameters} parameters, and a record {len(row)} fields: "
                f"{cut(record)}"
            )
        return tuple(map(self.dialect.value, row))

    def _refused(self, rows: list[tuple[Any, ...]], error: Exception) -> Exception:
        """The error of a batch, with the record to blame: the first that fails alone. Nothing of it stays."""
        said = next(iter(str(error).splitlines()), type(error).__name__)
        with suppress(Exception):
            self.roll_back()
            for row in rows:
                try:
                    self.execute(self._sql, row)
                except Exception as own:
                    self.roll_back()
                    said = next(iter(str(own).splitlines()), said)
                    return ValidationError(f"{self.dialect.shown()} refuses the record {cut(row)}: {said}")
            self.roll_back()
        return ValidationError(f"{self.dialect.shown()} refuses a record: {said}")


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
