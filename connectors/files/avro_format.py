"""Avro files as a source: PyFlink's AvroInputFormat, and the format behind it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from datastream.connectors.input_format import InputFormat
from datastream.errors import DataStreamError, FormatError, JobError, ValidationError
from datastream.formats.avro import AvroSchema, GenericRecordAvroTypeInfo, from_row_type, to_row_type
from datastream.formats.avro.container import Header, blocks, first_block, read_header
from datastream.formats.avro.malformed import explained, wrong_end
from datastream.formats.avro.reading import ReadMany, block_reader
from datastream.types import RowTypeInfo, TypeInformation, Types

from .formats import BulkFormat, in_blocks
from .part_reading import open_part
from .parts import FilePart, is_compressed
from .source import FileSource


class AvroFormat(BulkFormat):
    """Avro's container files, for `FileSource.for_bulk_file_format`. Large files are shared by tasks.

    The codecs null, deflate, bzip2, xz, snappy and zstandard are read.

    Args:
        schema: The schema of the records; each file's own may be another: fields may be added with defaults, left
            out, reordered, renamed by alias or promoted. None: each file's own. Or the type of rows, as
            `AvroBulkWriters.for_row` takes it: then the schema is `from_row_type` of it.
        rows: Whether records are named rows; default: dicts, but for a type of rows. Rows need
            a schema.

    Raises:
        ValidationError: rows are asked for without a schema, or of one whose top is no record; or a type has no form
            in Avro, or holds a PICKLED_BYTE_ARRAY.
    """

    splittable = True

    def __init__(self, schema: AvroSchema | RowTypeInfo | None = None, rows: bool = False) -> None:
        kind: RowTypeInfo | None = None
        if isinstance(schema, RowTypeInfo):
            kind, schema = schema, from_row_type(schema)
            block_reader(schema.node, schema.node, kind)  # errors of the type come at once
        if schema is not None and not isinstance(schema, AvroSchema):
            raise ValidationError(f"expected an AvroSchema, found {schema!r}: use AvroSchema.parse_string(text)")
        if rows and schema is None:
            raise ValidationError("AvroFormat: rows need a schema: pass schema=")
        self._schema = schema
        self._kind = to_row_type(schema) if kind is None and rows and schema is not None else kind
        self._readers: dict[AvroSchema, ReadMany] = {}

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The records of the blocks that begin in the part.

        Raises:
            FormatError: the file is no Avro file, is damaged, or its schema cannot be read as the one asked for.
        """
        with open_part(part) as opened:
            file: Any = opened
            if is_compressed(part.path):  # the whole file in another compression: then it is one part
                file = io.BytesIO(opened.read())
                size = len(file.getbuffer())
                part = FilePart(part.path, 0, size, size)
            try:
                header = read_header(file)
                yield from self._blocks(file, header, part)
            except DataStreamError as error:
                if isinstance(error, (FormatError, ValidationError)):
                    raise FormatError(f"the file {part.path} cannot be read: {error}") from None
                raise

    @property
    def produced_type(self) -> TypeInformation | None:
        return None if self._schema is None else self.get_produced_type()

    def get_produced_type(self) -> TypeInformation:
        """The type of the records."""
        if self._schema is None:
            return Types.PICKLED_BYTE_ARRAY()
        return GenericRecordAvroTypeInfo(self._schema) if self._kind is None else self._kind

    def _blocks(self, file: Any, header: Header, part: FilePart) -> Iterator[list[Any]]:
        at = first_block(file, header, part.start, part.end)
        if at is None:
            return
        read = self._reader(header.schema)
        found = blocks(file, header, at, part.end, part.size)
        while True:
            data = b""
            try:
                block = next(found, None)
                if block is None:
                    return
                count, data = block
                records, behind = read(data, 0, count)
                if behind != len(data):
                    wrong_end(data, behind)
            except (ConnectionError, JobError):  # the file's, not its bytes'
                raise
            except Exception as error:  # a file may hold anything
                raise explained(error, "read a block", data) from error
            yield from in_blocks(records)

    def _reader(self, writer: AvroSchema) -> ReadMany:
        if writer not in self._readers:
            reader = self._schema or writer
            self._readers[writer] = block_reader(writer.node, reader.node, self._kind)
        return self._readers[writer]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_readers": {}}


class AvroInputFormat(AvroFormat, InputFormat):
    """Files of generic records, which are dicts; for ``env.create_input``.

    Args:
        path: A file, a folder with all below it, or a glob pattern.
        schema: The schema of the records; see `AvroFormat`.

    Raises:
        ValidationError: the schema is none.
    """

    def __init__(self, path: str, schema: AvroSchema) -> None:
        GenericRecordAvroTypeInfo(schema)
        super().__init__(schema)
        self._path = path

    def source(self) -> FileSource:
        """The source of the path's files. An addition to PyFlink's names."""
        return FileSource.for_bulk_file_format(self, self._path).build()


__all__ = ["AvroFormat", "AvroInputFormat"]
