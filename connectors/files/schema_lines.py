"""Lines of files, read by a schema of messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import FormatError
from datastream.formats import DeserializationSchema
from datastream.formats.schema import Position, dead_letter_tags, records_fit
from datastream.functions import OutputTag
from datastream.types import PickledBytesTypeInfo, TypeInformation

from .formats import StreamFormat, in_blocks
from .part_reading import line_chunks, open_part
from .parts import FilePart, is_compressed


class SchemaLinesFormat(StreamFormat):
    """See `StreamFormat.lines`."""

    splittable = True

    def __init__(self, schema: DeserializationSchema) -> None:
        self._schema = schema

    @property
    def produced_type(self) -> TypeInformation | None:
        kind = self._schema.get_produced_type()
        return None if isinstance(kind, PickledBytesTypeInfo) else kind

    @property
    def exact(self) -> bool:
        return records_fit(self._schema)

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return dead_letter_tags(self._schema)

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        before = 0  # bytes of the part's earlier lines
        for data in line_chunks(part):
            yield from in_blocks(self._records(data, part, before))
            before += len(data)

    def _records(self, data: bytes, part: FilePart, before: int) -> list[Any]:
        def position(index: int) -> tuple[str | None, int | None, int | None]:
            return part.path, None, first_line(part) + before + _start_of(data, index)

        lines = lines_in(data)
        try:
            return self._schema.deserialize_block(lines, position)
        except FormatError as error:
            raise self._placed(error, lines, position) from error

    def _placed(self, error: FormatError, lines: list[bytes], position: Position) -> FormatError:
        """The error of the first line that cannot be read, with the line's place."""
        for index, line in enumerate(lines):
            try:
                self._schema.deserialize(line)
            except FormatError as found:
                path, _, offset = position(index)
                return FormatError(f"{path}, line at byte {offset}: {found}")
        return error  # the schema reads the lines one by one, though not together


def lines_in(data: bytes) -> list[bytes]:
    """The lines of whole-line bytes that are not empty, without their ends."""
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    return [line for line in data.split(b"\n") if line]


def _start_of(data: bytes, index: int) -> int:
    """The offset of a line that `lines_in` returns."""
    start = 0
    while True:
        end = data.find(b"\n", start)
        line = data[start:] if end < 0 else data[start:end].removesuffix(b"\r")
        index -= bool(line)
        if index < 0 or end < 0:
            return start
        start = end + 1


def first_line(part: FilePart) -> int:
    """The offset of the first line that starts in a part."""
    if part.start == 0 or is_compressed(part.path):
        return 0
    with open_part(part) as file:
        file.seek(part.start - 1)
        return part.start - 1 + len(file.readline(part.size - part.start + 1))
