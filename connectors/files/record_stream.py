"""Writes records to a stream, by whichever kind of format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, BinaryIO

from datastream.formats import BulkWriter, BulkWriterFactory, Encoder


class RecordStream:
    """A part file's records on their way to a stream.

    Args:
        records_format: How records become bytes.
        stream: Takes them.

    Attributes:
        append: Writes a list of records.
        header: Bytes of the format's file header, which is written.
        records: How many have been written; the caller counts them.
    """

    append: Callable[[list[Any]], None]

    def __init__(self, records_format: Encoder | BulkWriterFactory, stream: BinaryIO) -> None:
        self.records = 0
        self.header = 0
        self._bulk: BulkWriter | None = None
        if isinstance(records_format, Encoder):
            header = records_format.file_header()
            self.header = len(header)
            stream.write(header)
            encode, write = records_format.encode_block, stream.write

            def append(records: list[Any]) -> None:
                write(encode(records))

            self.append = append
        else:
            self._bulk = records_format.create(stream)
            self.append = self._bulk.add_elements

    def finish(self) -> None:
        """Write the format's end."""
        if self._bulk is not None:
            self._bulk.flush()
            self._bulk.finish()
