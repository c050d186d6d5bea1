"""Rows of a table into a database's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from datastream.connectors.jdbc import JdbcExecutionOptions
from datastream.connectors.jdbc.dialects import dialect_of
from datastream.connectors.jdbc.statement import parse
from datastream.connectors.jdbc.writing import StatementWriter
from datastream.io import Backoff, BatchingSink, WriterContext
from datastream.table.plan.relations import Column

from .jdbc_reading import JdbcTable
from .jdbc_values import rows_for_driver, writer_of

#: Kinds of rows that add one.
_ADDED = (0, 2)
_PAUSE_MS = 1_000


@dataclass(frozen=True)
class JdbcTableSink(BatchingSink):
    """Writes rows, at least once. With a key, the row of a key is made, changed or removed, so each is there once.

    Attributes:
        table: The table.
        columns: Its columns, as the rows have them.
        key: Indexes of the key's columns; empty: each row is one more.
        changes: Whether the kind of each row comes first.
        execution: Size of batches and retries.
    """

    table: JdbcTable
    columns: tuple[Column, ...]
    key: tuple[int, ...]
    changes: bool
    execution: JdbcExecutionOptions

    @property
    def batch_size(self) -> int:  # type: ignore[override]
        return self.execution.batch_size or sys.maxsize

    @property
    def batch_ms(self) -> int | None:  # type: ignore[override]
        return self.execution.batch_interval_ms or None

    @property
    def backoff(self) -> Backoff:  # type: ignore[override]
        return Backoff(self.execution.max_retries, _PAUSE_MS)

    def validate(self) -> None:
        self.table.dialect.check()

    def connect(self, context: WriterContext) -> _Connection:
        return _Connection(self)

    def write(self, connection: _Connection, records: list[Any]) -> None:
        connection.write(records)


class _Connection:
    """A connection with the statements of a table."""

    def __init__(self, sink: JdbcTableSink) -> None:
        table, columns = sink.table, sink.columns
        dialect = dialect_of(table.options)
        names, key = [each.name for each in columns], [columns[i].name for i in sink.key]
        self._key, self._changes = sink.key, sink.changes
        self._key_of = itemgetter(*sink.key) if sink.key else None
        self._kinds = [each.type for each in columns]
        self._writers = [writer_of(each.type, table.zone, f"{table.of}, column '{each.name}'") for each in columns]
        self._connection = dialect.connect()
        try:
            dialect.check_table(self._connection, table.name, names, key)
        except BaseException:
            self._connection.close()
            raise

        def writer(sql: str, columns: Sequence[str]) -> StatementWriter:
            return StatementWriter(parse(sql), dialect, sink.execution, self._connection, columns)

        made = dialect.upsert(table.name, names, key) if key else dialect.insert(table.name, names)
        self._added = writer(made, names)
        self._removed = writer(dialect.delete(table.name, key), key) if key else None

    def write(self, rows: Sequence[Any]) -> None:
        """Write a batch, in a transaction."""
        added, removed = rows, list[Any]()
        if self._key_of is not None:
            key_of = self._key_of
            if self._changes:
                last = {key_of(row[1:]): row for row in rows}.values()
                added = [row[1:] for row in last if row[0] in _ADDED]
                removed = [row[1:] for row in last if row[0] not in _ADDED]
            else:
                added = list({key_of(row): row for row in rows}.values())
        if self._removed is not None and removed:
            self._removed.write([[row[i] for i in self._key] for row in self._for_driver(removed)])
        if added:
            self._added.write(self._for_driver(added))
        self._added.commit()

    def _for_driver(self, rows: Sequence[Any]) -> Sequence[Any]:
        return rows_for_driver(rows, self._kinds, self._writers)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
