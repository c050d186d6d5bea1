"""Parquet files: what writes them. What reads them is a source's format: `datastream.connectors.files`."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from datastream.config import Configuration
from datastream.errors import ValidationError
from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.formats.columnar.batches import BatchingWriter
from datastream.formats.columnar.factories import ColumnarFactory
from datastream.formats.columnar.options import Options, checked_options
from datastream.formats.columnar.row_types import checked_row_type
from datastream.formats.columnar.streams import KeptOpen
from datastream.types import RowTypeInfo

if TYPE_CHECKING:
    from datastream.formats.avro.schema import AvroSchema

_CODECS = {
    "UNCOMPRESSED": "none",
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "BROTLI": "brotli",
    "ZSTD": "zstd",
    "LZ4": "lz4",
    "LZ4_RAW": "lz4",
}


class ParquetBulkWriters:
    """Makes the writers of Parquet files, for `FileSink.for_bulk_format`."""

    @staticmethod
    def for_row_type(row_type: Any, hadoop_config: Options = None, utc_timestamp: bool = False) -> BulkWriterFactory:
        """A factory of writers of rows.

        Options, by the keys of Hadoop's Parquet; keys of others are ignored:

        - ``parquet.compression``: UNCOMPRESSED, SNAPPY (default), GZIP, BROTLI, ZSTD, LZ4, LZ4_RAW
        - ``parquet.compression.codec.zstd.level``: default 3
        - ``parquet.block.size``: bytes of a row group at most, before encoding; default 128 MiB
        - ``parquet.page.size``: bytes of a page; default 1 MiB
        - ``parquet.enable.dictionary``: default true
        - ``parquet.writer.version``: of the pages, v1 (default) or v2
        - ``parquet.page.write-checksum.enabled``: default true, so that damage is found when the file is read

        Args:
            row_type: `Types.ROW_NAMED(...)`; a row without names has the columns f0, f1, ...
            hadoop_config: The options: a `Configuration`, or a dict of str.
            utc_timestamp: Mark SQL_TIMESTAMP and LOCAL_DATE_TIME columns as points in time in UTC. Default: they
                are wall clock times without a zone.

        Raises:
            ValidationError: the row type has a field that Parquet has no form for, or an option is wrong or unknown.
        """
        row = checked_row_type(row_type, "ParquetBulkWriters.for_row_type")
        return _ParquetFactory(
            row, _options(checked_options(hadoop_config, "ParquetBulkWriters: hadoop_config")), utc_timestamp
        )


class AvroParquetWriters:
    """Makes the writers of Parquet files of records that an Avro schema describes."""

    @staticmethod
    def for_generic_record(schema: AvroSchema) -> BulkWriterFactory:
        """A factory of writers of dicts, one column a field of the schema. Options: see `ParquetBulkWriters`' defaults.

        Args:
            schema: The schema of a record.

        Raises:
            ValidationError: the schema is no record, or has a field that Parquet has no form for.
        """
        from datastream.formats.columnar.avro_rows import avro_row_type

        row = avro_row_type(schema, "AvroParquetWriters.for_generic_record")
        return _ParquetFactory(row, _options(Configuration()), False, schema)


class _ParquetFactory(ColumnarFactory):
    """Makes writers of Parquet files: of rows, or where there is a schema of generic records."""

    def __init__(
        self,
        row_type: RowTypeInfo,
        options: dict[str, Any],
        utc_timestamp: bool,
        schema: AvroSchema | None = None,
    ) -> None:
        self._row_type = row_type
        self._options = dict(options)
        self._group_bytes: int = self._options.pop("group_bytes")
        self._utc = utc_timestamp
        self._schema = schema
        self._try()

    def _try(self) -> None:
        """Find out before the job runs whether the columns and the options work."""
        import pyarrow as pa

        try:
            self.create(io.BytesIO()).finish()
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ValidationError(f"Parquet has no form for {self._row_type}: {error}") from error

    def create(self, stream: BinaryIO) -> BulkWriter:
        """Return a writer to `stream`."""
        from datastream.formats.columnar.parquet_groups import ParquetGroups, all_in_utc, as_usual, sql_in_utc
        from datastream.formats.columnar.storing import stored_as

        leaf = sql_in_utc if self._schema is not None else all_in_utc if self._utc else as_usual
        schema, to_batch = stored_as(self._row_type, leaf, self.tuples)
        groups = ParquetGroups(KeptOpen(stream), schema, self._options)
        if self._schema is not None:
            from datastream.formats.columnar.avro_rows import to_rows

            to_batch = _after(to_rows(self._schema), to_batch)
        return BatchingWriter(to_batch, groups, self._group_bytes, "Parquet", self.tuples)


def _after(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: second(first(value))


def _options(config: Configuration) -> dict[str, Any]:
    """The arguments of pyarrow's writer, and `group_bytes`."""
    codec = config.get_string("parquet.compression", "SNAPPY").upper()
    if codec not in _CODECS:
        raise ValidationError(f"parquet.compression: expected one of {', '.join(_CODECS)}, got {codec!r}")
    version = config.get_string("parquet.writer.version", "v1").lower()
    pages = {"v1": "1.0", "parquet_1_0": "1.0", "v2": "2.0", "parquet_2_0": "2.0"}.get(version)
    if pages is None:
        raise ValidationError(f"parquet.writer.version: expected v1 or v2, got {version!r}")
    level = _positive(config, "parquet.compression.codec.zstd.level", 3)
    return {
        "compression": _CODECS[codec],
        "compression_level": level if codec == "ZSTD" else None,
        "group_bytes": _positive(config, "parquet.block.size", 128 * 1024 * 1024),
        "data_page_size": _positive(config, "parquet.page.size", 1024 * 1024),
        "use_dictionary": config.get_boolean("parquet.enable.dictionary", True),
        "data_page_version": pages,
        "write_page_checksum": config.get_boolean("parquet.page.write-checksum.enabled", True),
    }


def _positive(config: Configuration, key: str, default: int) -> int:
    value = config.get_integer(key, default)
    if value <= 0:
        raise ValidationError(f"{key}: expected a positive number, got {value}")
    return value
