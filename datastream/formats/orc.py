"""ORC files: what writes them. What reads them is a source's format, in `datastream.connectors.files.orc_format`."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from datastream.config import Configuration
from datastream.errors import ValidationError
from datastream.formats.bulk_writer import BulkWriter, BulkWriterFactory
from datastream.formats.columnar.batches import BATCH_BYTES, BatchingWriter
from datastream.formats.columnar.factories import ColumnarFactory
from datastream.formats.columnar.options import Options, checked_options
from datastream.formats.columnar.row_types import checked_row_type
from datastream.formats.columnar.streams import KeptOpen
from datastream.types import RowTypeInfo

_CODECS = {"NONE": "uncompressed", "ZLIB": "zlib", "SNAPPY": "snappy", "LZ4": "lz4", "ZSTD": "zstd"}


class OrcBulkWriters:
    """Makes the writers of ORC files, for `FileSink.for_bulk_format`."""

    @staticmethod
    def for_row_type(
        row_type: Any,
        writer_properties: Options = None,
        hadoop_config: Options = None,
    ) -> BulkWriterFactory:
        """A factory of writers of rows.

        Options, by ORC's own keys; keys of others are ignored. The writer's go before Hadoop's:

        - ``orc.compress``: NONE, ZLIB (default), SNAPPY, LZ4, ZSTD
        - ``orc.compress.size``: bytes of a compressed block; default 256 KiB
        - ``orc.stripe.size``: bytes of a stripe; default 64 MiB
        - ``orc.row.index.stride``: rows of an index entry; default 10,000
        - ``orc.dictionary.key.threshold``: strings get a dictionary if the share of different ones is less;
          default 0.8

        Args:
            row_type: `Types.ROW_NAMED(...)`; a row without names has the columns f0, f1, ...
            writer_properties: Options: a `Configuration`, or a dict of str.
            hadoop_config: More options.

        Raises:
            ValidationError: the row type has a field that ORC has no form for, such as SQL_TIME, or an option is
                wrong or unknown.
        """
        row = checked_row_type(row_type, "OrcBulkWriters.for_row_type")
        config = Configuration(checked_options(hadoop_config, "OrcBulkWriters: hadoop_config"))
        config.add_all(checked_options(writer_properties, "OrcBulkWriters: writer_properties"))
        return _OrcFactory(row, _options(config))


class _OrcFactory(ColumnarFactory):
    """Makes writers of ORC files."""

    def __init__(self, row_type: RowTypeInfo, options: dict[str, Any]) -> None:
        self._row_type = row_type
        self._options = options
        self._try()

    def _try(self) -> None:
        """Find out before the job runs whether the columns and the options work."""
        import pyarrow as pa

        try:
            self.create(io.BytesIO()).finish()
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ValidationError(f"ORC has no form for {self._row_type}: {error}") from error

    def create(self, stream: BinaryIO) -> BulkWriter:
        """Return a writer to `stream`."""
        from datastream.formats.columnar.orc_groups import OrcGroups, in_nanoseconds
        from datastream.formats.columnar.storing import stored_as

        schema, to_batch = stored_as(self._row_type, in_nanoseconds, self.tuples)
        groups = OrcGroups(KeptOpen(stream), schema, self._options)
        # ORC's writer itself gathers stripes.
        return BatchingWriter(to_batch, groups, min(self._options["stripe_size"], BATCH_BYTES), "ORC", self.tuples)


def _options(config: Configuration) -> dict[str, Any]:
    """The arguments of pyarrow's writer."""
    codec = config.get_string("orc.compress", "ZLIB").upper()
    if codec not in _CODECS:
        raise ValidationError(f"orc.compress: expected one of {', '.join(_CODECS)}, got {codec!r}")
    threshold = config.get_float("orc.dictionary.key.threshold", 0.8)
    if not 0 <= threshold <= 1:
        raise ValidationError(f"orc.dictionary.key.threshold: expected a number from 0 to 1, got {threshold}")
    options = {
        "compression": _CODECS[codec],
        "compression_block_size": config.get_integer("orc.compress.size", 256 * 1024),
        "stripe_size": config.get_integer("orc.stripe.size", 64 * 1024 * 1024),
        "row_index_stride": config.get_integer("orc.row.index.stride", 10_000),
        "dictionary_key_size_threshold": threshold,
    }
    wrong = [name for name, value in options.items() if isinstance(value, int) and value <= 0]
    if wrong:
        raise ValidationError(f"OrcBulkWriters: {', '.join(wrong)} must be positive")
    return options
