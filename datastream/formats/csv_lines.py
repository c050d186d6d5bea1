"""One line of delimited values a record."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.encoder import Encoder


class CsvLines(Encoder):
    """Writes a record as one line of delimited values, quoted where needed."""

    def __init__(self, delimiter: str, header: Sequence[str] | None) -> None:
        if len(delimiter) != 1 or delimiter in '"\r\n':
            raise ValidationError(f"csv: the delimiter must be one character, no quote or line end: got {delimiter!r}.")
        self._delimiter = delimiter
        self._header = None if header is None else list(header)

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
            ValidationError: A column of the header is missing in a dict, or the count differs.
        """
        return self._line(self._values(value))

    def _values(self, value: Any) -> Iterable[Any]:
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            value = (value,)
        by_name = value if isinstance(value, dict) else _named_fields(value)
        if by_name is not None and self._header is not None:
            missing = [name for name in self._header if name not in by_name]
            if missing:
                raise ValidationError(f"csv: {cut(value)} lacks the columns {missing}.")
            return [by_name[name] for name in self._header]
        values = list(value.values() if isinstance(value, dict) else value)
        if self._header is not None and len(values) != len(self._header):
            raise ValidationError(
                f"csv: expected {len(self._header)} values for the columns {self._header}, "
                f"got {len(values)}: {cut(value)}."
            )
        return values

    def _line(self, values: Iterable[Any]) -> bytes:
        return self._write(values).encode()


class _Echo:
    """A file that gives back what is written."""

    def write(self, line: str) -> str:
        return line


def _named_fields(value: Any) -> dict[str, Any] | None:
    # A row, known by its method: this package does not import the types.
    as_dict = getattr(value, "as_dict", None)
    if as_dict is None:
        return None
    try:
        fields: dict[str, Any] = as_dict()
    except TypeError:
        return None
    return fields
