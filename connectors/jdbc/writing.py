"""Records as parameters of a statement."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Any

from datastream.errors import ValidationError, cut

from .dialects import Dialect
from .fields import fields_of
from .options import JdbcExecutionOptions
from .statement import Statement


class StatementWriter:
    """A connection that writes records by a statement, in the transaction that is open.

    All methods raise a ConnectionError where the database is away.

    Attributes:
        dialect: The kind of database.
        marker: The marker that was read last.
    """

    marker: int | None = None

    def __init__(
        self,
        statement: Statement,
        dialect: Dialect,
        options: JdbcExecutionOptions,
        connection: Any,
        columns: Sequence[str] = (),
    ) -> None:
        self._columns = columns
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
            rows = self._rows(part)
            try:
                with self.dialect.away(), closing(self._connection.cursor()) as cursor:
                    cursor.executemany(self._sql, rows)
            except ConnectionError:
                raise
            except Exception as error:
                raise self._refused(rows, error) from error

    def _rows(self, records: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        plain = set(map(type, records)) == {tuple} and set(map(len, records)) == {self._parameters}
        if plain and self.dialect.takes(list(chain.from_iterable(records))):
            return records
        return [self._row(record) for record in records]

    def _row(self, record: Any) -> tuple[Any, ...]:
        row = fields_of(record)
        if len(row) != self._parameters:
            raise ValidationError(
                f"JdbcSink: the statement has {self._parameters} parameters, and a record {len(row)} fields: "
                f"{cut(record)}"
            )
        return tuple(map(self.dialect.value, row))

    def _refused(self, rows: Sequence[tuple[Any, ...]], error: Exception) -> Exception:
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
                    return ValidationError(f"{self.dialect.shown()} refuses the record {self._shown(row)}: {said}")
            self.roll_back()
        return ValidationError(f"{self.dialect.shown()} refuses a record: {said}")

    def _shown(self, row: Sequence[Any]) -> str:
        """A record, by the names of its columns where they are known."""
        if not self._columns:
            return cut(row)
        return ", ".join(f"{name} = {cut(value)}" for name, value in zip(self._columns, row, strict=False))
