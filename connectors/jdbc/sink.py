"""`JdbcSink`: records as parameters of a statement."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.io import Batch, Sink, SinkWriter, TransactionalSink, WriterContext
from datastream.types import RowTypeInfo, TupleTypeInfo, TypeInformation

from .dialects import Dialect, dialect_of, row_of
from .options import JdbcConnectionOptions, JdbcExecutionOptions
from .statement import Statement, parse

#: The table of markers, unless another one is named.
MARKERS = "datastream_epochs"
_TABLE = re.compile(r"[A-Za-z_][\w.]*")
_PAUSE_S = 1.0


@dataclass(frozen=True)
class JdbcSink(Sink):
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

    def validate(self) -> None:
        dialect_of(self.connection_options).check()

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _BatchWriter(self, context)


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

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    @cached_property
    def _dialect(self) -> Dialect:
        return dialect_of(self.connection_options)

    @cached_property
    def _table(self) -> _Table:
        return _Table(self.statement, self._dialect, self.execution_options)

    def connect(self) -> Any:
        connection = self._dialect.connect()
        create, _, _ = self._dialect.marker_statements(self.marker_table)
        with self._dialect.away():
            try:
                connection.execute(create)
                connection.commit()
            except Exception:
                connection.rollback()  # another subtask has just made it
                connection.execute(create)
                connection.commit()
        return connection

    def last_epoch(self, connection: Any, name: str) -> int | None:
        _, read, _ = self._dialect.marker_statements(self.marker_table)
        with self._dialect.away():
            found = connection.execute(read, (name,)).fetchone()
            connection.commit()
        return None if found is None else int(found[0])

    def write(self, connection: Any, records: list[Any]) -> None:
        self._table.write(connection, records)

    def commit(self, connection: Any, name: str, epoch: int) -> None:
        _, _, mark = self._dialect.marker_statements(self.marker_table)
        with self._dialect.away():
            connection.execute(mark, (name, epoch))
            connection.commit()


class _Table:
    """Writes records by a statement, in the transaction that is open."""

    def __init__(self, statement: Statement, dialect: Dialect, options: JdbcExecutionOptions) -> None:
        self._sql, self._parameters = statement.of_driver(dialect.parameter), statement.parameters
        self._dialect, self._size = dialect, options.batch_size

    def write(self, connection: Any, records: Sequence[Any]) -> None:
        """Write some records.

        Raises:
            ConnectionError: The database is away.
            ValidationError: It refuses a record, or that has not as many fields as the statement has parameters.
        """
        size = self._size or len(records) or 1
        for begin in range(0, len(records), size):
            part = records[begin : begin + size]
            rows = [self._row(record) for record in part]
            cursor = connection.cursor()
            try:
                with self._dialect.away():
                    cursor.executemany(self._sql, rows)
            except ConnectionError:
                raise
            except Exception as error:
                raise self._refused(connection, rows, error) from error
            finally:
                with suppress(Exception):
                    cursor.close()

    def _row(self, record: Any) -> tuple[Any, ...]:
        row = row_of(record)
        if len(row) != self._parameters:
            raise ValidationError(
                f"JdbcSink: the statement has {self._parameters} parameters, and a record {len(row)} fields: "
                f"{cut(record)}"
            )
        return tuple(map(self._dialect.value, row))

    def _refused(self, connection: Any, rows: list[tuple[Any, ...]], error: Exception) -> Exception:
        """The error of a batch, with the record to blame: the first that fails alone. Nothing of it stays."""
        said = next(iter(str(error).splitlines()), type(error).__name__)
        with suppress(Exception):
            connection.rollback()
            for row in rows:
                try:
                    connection.execute(self._sql, row)
                except Exception as own:
                    connection.rollback()
                    said = next(iter(str(own).splitlines()), said)
                    return ValidationError(f"{self._dialect.shown()} refuses the record {cut(row)}: {said}")
            connection.rollback()
        return ValidationError(f"{self._dialect.shown()} refuses a record: {said}")


class _BatchWriter(SinkWriter):
    """Writes batches, each in a transaction of its own, and again when the database was away."""

    def __init__(self, sink: JdbcSink, context: WriterContext) -> None:
        self._dialect, self._options = dialect_of(sink.connection_options), sink.execution_options
        self._table = _Table(sink.statement, self._dialect, self._options)
        self._logger = context.logger
        self._retries = context.metrics.counter("retries")
        self._connection: Any = None
        self._waiting: list[Any] = []

    def begin(self, epoch: int, attempt: int) -> None:
        self._waiting = []

    def write(self, batch: Batch) -> None:
        self._waiting += batch.records
        size = self._options.batch_size
        while size and len(self._waiting) >= size:
            self._write(self._waiting[:size])
            del self._waiting[:size]

    def prepare_commit(self) -> None:
        if self._waiting:
            self._write(self._waiting)
        self._waiting = []

    def _write(self, records: list[Any]) -> None:
        for tried in range(self._options.max_retries + 1):
            try:
                if self._connection is None:
                    self._connection = self._dialect.connect()
                self._table.write(self._connection, records)
                with self._dialect.away():
                    self._connection.commit()
                return
            except ConnectionError as error:
                self.close()
                if tried == self._options.max_retries:
                    raise
                self._retries.inc()
                self._logger.warning("the database was away, a batch is written again: %s", error)
                time.sleep(_PAUSE_S * (tried + 1))

    def abort(self) -> None:
        self._waiting = []

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # it may be broken
                connection.close()


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
