"""Avro files as bulk format of a file sink: PyFlink's AvroBulkWriters."""

from __future__ import annotations

import os
from typing import Any, BinaryIO

from datastream.formats.avro.codecs import check_codec
from datastream.formats.avro.container import MARKER, block_bytes, header_bytes
from datastream.formats.avro.from_type import from_row_type
from datastream.formats.avro.messages import check_schema, unwritable
from datastream.formats.avro.nodes import most_items
from datastream.formats.avro.schema import AvroSchema
from datastream.formats.avro.to_type import to_row_type
from datastream.formats.avro.writing import WriteMessages, message_writer
from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.types import RowTypeInfo, TypeInformation

#: Bytes of records at which a block is written.
_BLOCK_BYTES = 64_000
#: Bytes of a batch of records above which each makes a block: readers bound what a block may become.
_MOST_TOGETHER = 32 << 20
#: Records that are encoded together.
_BATCH = 512


class AvroBulkWriters:
    """Makes the writers of Avro files."""

    @staticmethod
    def for_generic_record(schema: AvroSchema, codec: str = "null") -> BulkWriterFactory:
        """Files of generic records, which are dicts.

        Args:
            schema: The schema of the records; it is written into each file.
            codec: null, deflate, bzip2, xz, snappy or zstandard. Default: null, as in Flink.

        Raises:
            ValidationError: there is no such codec.
        """
        check_schema(schema)
        return AvroWriterFactory(schema, None, codec)

    @staticmethod
    def for_row(schema: AvroSchema | RowTypeInfo, codec: str = "null") -> BulkWriterFactory:
        """Files of rows; otherwise as `for_generic_record`. An addition to PyFlink's names.

        Args:
            schema: The schema, or the type of the rows: then the schema is `from_row_type` of it.
            codec: As there.

        Raises:
            ValidationError: it is something else, the schema is no record, or a type has no form in Avro.
        """
        if isinstance(schema, RowTypeInfo):
            return AvroWriterFactory(from_row_type(schema), schema, codec)
        check_schema(schema)
        return AvroWriterFactory(schema, to_row_type(schema), codec)


class AvroWriterFactory(BulkWriterFactory):
    """See `AvroBulkWriters`."""

    def __init__(self, schema: AvroSchema, kind: TypeInformation | None, codec: str) -> None:
        self._schema = schema
        self._kind = kind
        self._codec = check_codec(codec)
        self._write: WriteMessages | None = None

    def create(self, stream: BinaryIO) -> BulkWriter:
        if self._write is None:
            self._write = message_writer(self._schema.node, self._kind)
        return _AvroWriter(stream, self._schema, self._codec, self._write)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_write": None}


class _AvroWriter(BulkWriter):
    def __init__(self, stream: BinaryIO, schema: AvroSchema, codec: str, write: WriteMessages) -> None:
        self._stream = stream
        self._codec = codec
        self._write = write
        self._most = most_items(schema.node)  # records of a block, where they have no bytes
        self._marker = os.urandom(MARKER)
        self._waiting: list[Any] = []
        self._encoded: list[bytes] = []
        self._size = 0
        stream.write(header_bytes(schema, codec, self._marker))

    def add_element(self, value: Any) -> None:
        self._waiting.append(value)
        if len(self._waiting) >= _BATCH:
            self._encode()
            if self._size >= _BLOCK_BYTES:
                self._write_block()

    def flush(self) -> None:
        self._encode()
        self._write_block()

    def finish(self) -> None:
        self.flush()

    def _encode(self) -> None:
        values, self._waiting = self._waiting, []
        try:
            found = self._write(values, b"")
        except Exception as error:  # a record may be of any class, whose methods may raise anything
            raise unwritable(error, values) from error
        self._encoded += found
        self._size += sum(map(len, found))

    def _write_block(self) -> None:
        most = self._most or (1 if self._size > _MOST_TOGETHER else len(self._encoded) or 1)
        for low in range(0, len(self._encoded), most):
            records = self._encoded[low : low + most]
            self._stream.write(block_bytes(len(records), b"".join(records), self._codec, self._marker))
        self._encoded, self._size = [], 0
