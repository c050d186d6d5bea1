"""Rows as documents of Elasticsearch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from datastream.connectors.elasticsearch import Delete, ElasticsearchEmitter
from datastream.connectors.elasticsearch.actions import document_lines, lines_of
from datastream.errors import ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.table.functions.date_time_formatter import date_time_formatter
from datastream.table.types.logical_types import DataType, DateType, LocalZonedTimestampType, TimestampType

from .formats.csv_writing import text_of

_ADDED = (0, 2)
_DAY_US = 86_400_000_000


@dataclass(frozen=True)
class IndexPart:
    """A part of the name of an index.

    Attributes:
        text: As it is.
        column: Whose value it is instead.
        kind: The type of the value. Without a column: the time of writing.
        pattern: How a time is written, as by Java's DateTimeFormatter, in UTC; None: as in an id.
    """

    text: str
    column: int | None = None
    kind: DataType | None = None
    pattern: str | None = None


class Documents(ElasticsearchEmitter):
    """Makes documents of rows: those of a key replace each other.

    Args:
        encoder: Writes the document of a row.
        index: The parts of the index's name.
        key: Column and type of the parts of ids; empty: each row is a new document.
        delimiter: Between these parts.
        changes: The kind of each row comes first.
    """

    def __init__(
        self,
        encoder: SerializationSchema,
        index: Sequence[IndexPart],
        key: Sequence[tuple[int, DataType]],
        delimiter: str,
        changes: bool,
    ) -> None:
        self._encoder, self._index, self._key = encoder, tuple(index), tuple(key)
        self._delimiter, self._changes = delimiter, changes

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.endswith("_text")}

    @cached_property
    def _index_text(self) -> Callable[[Sequence[Any]], str]:
        parts = [_index_part(each) for each in self._index if each.text or each.kind is not None]
        return lambda row: "".join([part(row) for part in parts])

    @cached_property
    def _key_text(self) -> Callable[[Sequence[Any]], str]:
        parts = [(column, _text_of(kind)) for column, kind in self._key]
        return lambda row: self._delimiter.join([_given(row, column, text) for column, text in parts])

    def _request_lines(self, record: Any, ids: Iterator[str] | None) -> list[bytes]:
        added, row = (record[0] in _ADDED, record[1:]) if self._changes else (True, record)
        index = self._index_text(row)
        if not self._key:
            return [document_lines(index, self._encoder.serialize(row), None, None if ids is None else next(ids))]
        key = self._key_text(row)
        if not added:
            return [lines_of(Delete(index, key), None)]
        return [document_lines(index, self._encoder.serialize(row), key, None)]


def _index_part(part: IndexPart) -> Callable[[Sequence[Any]], str]:
    kind, column = part.kind, part.column
    if kind is None:
        return lambda row: part.text
    if part.pattern is None:
        text, place = _text_of(kind), column or 0
        return lambda row: _given(row, place, text)
    show = date_time_formatter(part.pattern).text
    if column is None:
        return lambda row: show(time.time_ns() // 1_000_000 * 1000)
    scale, at = _DAY_US if isinstance(kind, DateType) else 1, column
    return lambda row: _given(row, at, lambda value: show(value * scale))


def _text_of(kind: DataType) -> Callable[[Any], str]:
    """A value as Java writes it: times with a T."""
    text = text_of(kind)
    if isinstance(kind, TimestampType | LocalZonedTimestampType):
        return lambda value: text(value).replace(" ", "T")
    return text


def _given(row: Sequence[Any], column: int, text: Callable[[Any], str]) -> str:
    value = row[column]
    if value is None:
        raise ValidationError(f"a value of the index or of the PRIMARY KEY is NULL, in the row {cut(row)}")
    return text(value)
