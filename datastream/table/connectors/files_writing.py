"""Rows of a table on their way into files and their folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, BinaryIO

from datastream.connectors.files import BucketAssigner
from datastream.errors import FormatError, cut
from datastream.formats import BulkWriter, BulkWriterFactory, Encoder, SerializationSchema
from datastream.table.types.logical_types import DataType

from .formats.csv_writing import text_of
from .picked_columns import Pick, same

_ESCAPED = re.compile(r"""[\x00-\x1f"#%'*/:=?\\\x7f{\[\]^]""")


class TableLines(Encoder):
    """A line for each row.

    Args:
        encoder: Writes the columns of the file.
        pick: Gives them of a row.
        breaks: Whether the format itself may put line ends into a row's bytes, as CSV does in quotes.
    """

    def __init__(self, encoder: SerializationSchema, pick: Pick, breaks: bool) -> None:
        self._encoder, self._pick, self._breaks = encoder, pick, breaks

    def encode(self, value: Any) -> bytes:
        return self.encode_block((value,))

    def encode_block(self, values: Sequence[Any]) -> bytes:
        rows = values if self._pick is same else [self._pick(value) for value in values]
        lines: list[bytes] = [data for data in self._encoder.serialize_block(rows) if data is not None]
        lines.append(b"")
        text = b"\n".join(lines)
        if not self._breaks and text.count(b"\n") >= len(lines):
            data = next(line for line in lines if b"\n" in line)
            raise FormatError(f"the bytes of a row hold a line end, and would be read as two rows: {cut(data)}")
        return text


class TableBulk(BulkWriterFactory):
    """Files that are written by a factory of the engine's.

    Args:
        factory: Takes what `convert` returns.
        pick: Gives the columns of the file of a row.
        convert: Makes records of a block of them.
    """

    def __init__(self, factory: BulkWriterFactory, pick: Pick, convert: Any) -> None:
        self._factory, self._pick, self._convert = factory, pick, convert

    def create(self, stream: BinaryIO) -> BulkWriter:
        return _Converting(self._factory.create(stream), self._pick, self._convert)


class _Converting(BulkWriter):
    def __init__(self, inner: BulkWriter, pick: Pick, convert: Any) -> None:
        self._inner, self._pick, self._convert = inner, pick, convert

    def add_element(self, value: Any) -> None:
        self.add_elements((value,))

    def add_elements(self, values: Sequence[Any]) -> None:
        self._inner.add_elements(self._convert(values if self._pick is same else [self._pick(each) for each in values]))

    def flush(self) -> None:
        self._inner.flush()

    def finish(self) -> None:
        self._inner.finish()


class PartitionFolders(BucketAssigner):
    """A folder ``name=value`` for each value of the partition columns.

    Args:
        columns: Name, index in the row and type of each, from the outermost folder.
        default_name: Stands for NULL and for empty text.
    """

    def __init__(self, columns: Sequence[tuple[str, int, DataType]], default_name: str) -> None:
        self._columns, self._default = tuple(columns), default_name
        self._known: dict[tuple[Any, ...], str] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self._columns, "_default": self._default, "_known": {}}

    @cached_property
    def _texts(self) -> list[Callable[[Any], str]]:
        return [text_of(kind) for _, _, kind in self._columns]

    def get_bucket_id(self, element: Any, processing_time: int) -> str:
        values = tuple([element[index] for _, index, _ in self._columns])
        found = self._known.get(values)
        if found is None:
            pairs = zip(self._columns, self._texts, values, strict=True)
            parts = [f"{_escaped(name)}={self._text(text, value)}" for (name, _, _), text, value in pairs]
            found = "/".join(parts)
            if len(self._known) > 10_000:
                self._known.clear()
            self._known[values] = found
        return found

    def _text(self, text: Callable[[Any], str], value: Any) -> str:
        return _escaped("" if value is None else text(value)) or self._default


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)
