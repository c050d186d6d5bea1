"""Lists of fields into records, and records into lines, a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from datastream.errors import FormatError, TypeMismatch, cut
from datastream.formats.fewer_fields import fit_record
from datastream.types import Row, RowTypeInfo, TupleTypeInfo, TypeInformation
from datastream.types.row import row_factory, values_of

from .columns import Column
from .generated import Loop, reading_loop, writing_loop
from .options import CsvOptions
from .splitting import Fields

RecordType = RowTypeInfo | TupleTypeInfo


def record_type(kind: TypeInformation) -> RecordType:
    """The type of records, which is that of a row or tuple.

    Raises:
        FormatError: it is another one, or has no fields.
    """
    if not isinstance(kind, (RowTypeInfo, TupleTypeInfo)) or not kind.field_types:
        raise FormatError(f"csv: a record is a row or tuple of one field or more, got {kind!r}: use Types.ROW_NAMED")
    return kind


def columns_of(kind: RecordType, options: Sequence[CsvOptions], reading: bool) -> list[Column]:
    """The columns of a type; one dialect a field, since array delimiters may differ."""
    is_row = isinstance(kind, RowTypeInfo)
    names = kind.get_field_names() if isinstance(kind, RowTypeInfo) else [f"[{i}]" for i in range(len(options))]
    fields = zip(names, kind.field_types, options, strict=True)
    return [Column(name, field, dialect, is_row, i == 0, reading) for i, (name, field, dialect) in enumerate(fields)]


class RecordReader:
    """Makes records.

    Attributes:
        mark: The null literal, if it could be a value's text too.
    """

    def __init__(self, kind: RecordType, columns: list[Column]) -> None:
        self._columns = columns
        self._names = kind.field_names if isinstance(kind, RowTypeInfo) else None
        self._is_row = isinstance(kind, RowTypeInfo)
        self._make: Callable[[list[Any]], Any] = row_factory(self._names) if self._is_row else tuple
        self._guarded = reading_loop(columns, self._names, self._is_row, plain=False)
        self.mark = next((column.ambiguous for column in columns if column.ambiguous is not None), None)

    @cached_property
    def _plain(self) -> Loop:
        return reading_loop(self._columns, self._names, self._is_row, plain=True)

    def records(self, rows: list[Fields], plain: bool = False, found: list[Any] | None = None) -> list[Any]:
        """The records of lists of fields, which it keeps or changes.

        Args:
            rows: The lists.
            plain: Whether all texts are ASCII without underscores.
            found: Where to put the records: after an error, those before the bad one.

        Raises:
            FormatError: one does not fit the type.
        """
        found = [] if found is None else found
        if len(self._columns) == 1:  # a blank line is an empty field
            rows = [row or [""] for row in rows]
        try:
            (self._plain if plain else self._guarded)(rows, found.append)
        except (ValueError, LookupError, ArithmeticError):
            found += map(self._record, rows[len(found) :])
        return found

    def _record(self, fields: Fields) -> Any:
        if len(fields) != len(self._columns):
            raise FormatError(f"expected {len(self._columns)} fields, found {len(fields)}: {cut(fields)}")
        # What is no text is a field that was converted before another one failed.
        values = [
            column.read(field) if isinstance(field, str) else field
            for column, field in zip(self._columns, fields, strict=True)
        ]
        return self._make(values)


class RecordWriter:
    """Makes lines."""

    def __init__(self, kind: RecordType, columns: list[Column], options: CsvOptions) -> None:
        self._kind = kind
        self._names = kind.field_names if isinstance(kind, RowTypeInfo) else None
        self._columns = columns
        self._options = options
        self._loop = writing_loop(columns, self._names, isinstance(kind, RowTypeInfo), options)

    def lines(self, records: Sequence[Any]) -> list[bytes]:
        """The lines of records.

        Raises:
            FormatError: a value cannot be written so that it is read again.
            TypeMismatch: a record does not fit the type.
        """
        found: list[bytes] = []
        waiting = iter(records)
        while True:
            try:
                self._loop(waiting, found.append)
                return found
            except FormatError:
                raise
            except ValueError:  # a record of another form: the loop has taken it from the iterator
                found.append(self._line(records[len(found)]))

    def _line(self, record: Any) -> bytes:
        values = zip(self._columns, self._values(record), strict=True)
        fields = [column.write(value) for column, value in values]
        return (self._options.delimiter.join(fields) + self._options.line_end).encode()

    def _values(self, record: Any) -> Sequence[Any]:
        record = fit_record(record, self._kind)
        if not isinstance(record, Row):
            return record  # type: ignore[no-any-return]
        values = values_of(record)
        if len(values) != len(self._columns):
            raise TypeMismatch("", f"a row of {len(self._columns)}", record, f"it has {len(values)}")
        return values
