"""One line of delimited values a record."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.encoder import Encoder
from datastream.types import Row
from datastream.types.row import values_of


class CsvLines(Encoder):
    """Writes a record as one line of delimited values, quoted where needed."""

    def __init__(self, delimiter: str, header: Sequence[str] | None) -> None:
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise ValidationError(f"csv: the delimiter must be one character, no quote or line end: got {delimiter!r}.")
        self._delimiter = delimiter
        self._header = None if header is None else tuple(header)

    @cached_property
    def _write(self) -> Callable[[Iterable[Any]], str]:
        # A row of the csv module's writer returns what the write method of its file does: here, the line.
        return csv.writer(_Echo(), delimiter=self._delimiter, lineterminator="\n").writerow

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_write"}

    def file_header(self) -> bytes:
        """Return the line of column names, if there are any."""
        return b"" if self._header is None else self._line(self._header)

    def encode(self, value: Any) -> bytes:
        """Return the line of a dict, row, tuple, list or single value.

        Raises:
            ValidationError: A column of the header is missing in a dict or named row, or the count differs.
        """
        return self._line(self._values(value))

    def _values(self, value: Any) -> Sequence[Any]:
        names: tuple[Any, ...] | None = None
        values: Sequence[Any]
        if isinstance(value, Row):
            names, values = value._fields, values_of(value)
        elif isinstance(value, dict):
            names, values = tuple(value), list(value.values())
        elif isinstance(value, (tuple, list)):
            values = value
        elif isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            values = (value,)
        else:
            values = list(value)
        if self._header is None or names == self._header:
            return values
        return self._in_order(self._header, value, names, values)

    @staticmethod
    def _in_order(
        header: tuple[str, ...], value: Any, names: tuple[Any, ...] | None, values: Sequence[Any]
    ) -> Sequence[Any]:
        if names is not None:
            by_name = dict(zip(names, values, strict=True))
            missing = [name for name in header if name not in by_name]
            if missing:
                raise ValidationError(f"csv: {cut(value)} lacks the columns {missing}.")
            return [by_name[name] for name in header]
        if len(values) != len(header):
            raise ValidationError(
                f"csv: expected {len(header)} values for the columns {list(header)}, got {len(values)}: {cut(value)}."
            )
        return values

    def _line(self, values: Iterable[Any]) -> bytes:
        return self._write(values).encode()


class _Echo:
    """A file that returns what is written."""

    def write(self, line: str) -> str:
        return line
