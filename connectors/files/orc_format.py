"""ORC files as a source, and the name of ``pyflink.datastream.formats.orc``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import FormatError
from datastream.formats.orc import OrcBulkWriters

from .columnar_format import ColumnarRowFormat, open_columns
from .parts import FilePart

__all__ = ["OrcBulkWriters", "OrcColumnarRowInputFormat"]


class OrcColumnarRowInputFormat(ColumnarRowFormat):
    """Reads the rows of ORC files, for `FileSource.for_bulk_file_format`. An addition to PyFlink's names.

    Only the columns of the row type are read, by name. A column that a file does not have is None; a file that has
    none of them is refused. A column of another type is read where that loses nothing (int as LONG, float as
    DOUBLE) and refused otherwise. Large files are shared by several tasks, a stripe (at its first byte) at a
    time; a task holds one
    stripe and a batch of rows.

    Args:
        row_type: `Types.ROW_NAMED(...)`; a row without names reads the columns f0, f1, ...
        hadoop_config: A `Configuration`, or a dict of str. Checked, without effect.
        batch_size: Rows of a batch. Default: 2048.
        is_utc_timestamp: SQL_TIMESTAMP of a column that holds points in time is in UTC. Default: in the time zone
            of the machine that reads. Columns of wall clock times are read as they are.
        is_case_sensitive: Whether upper and lower case differ in names. Default: they do.

    Raises:
        ValidationError: the row type is none, or has no fields; the batch size is not positive;
            or an option is unknown.
        FormatError: the row type has a field that cannot be read, such as PICKLED_BYTE_ARRAY.
    """

    def read(self, part: FilePart) -> Iterator[list[Any]]:
        """The rows of the stripes that start in the part.

        Raises:
            FormatError: the file is damaged, or a column does not fit.
        """
        from datastream.formats.columnar.reading import naming

        with open_columns(part) as source:
            yield from naming(part.path, "ORC", self._blocks(source, part))

    def _blocks(self, source: Any, part: FilePart) -> Iterator[list[Any]]:
        from pyarrow.orc import ORCFile

        from datastream.formats.columnar.columns import Times
        from datastream.formats.columnar.orc_tail import stripes_of
        from datastream.formats.columnar.reading import RowsOfColumns

        file = ORCFile(source)
        found = stripes_of(file.reader.serialized_file_tail(), part.size)
        stripes = [i for i, stripe in enumerate(found) if part.start <= stripe.start < part.end]
        if not stripes:
            return
        schema = file.schema
        columns = RowsOfColumns(schema, self._row_type, lambda name: Times(self._utc), self._any_case, self.tuples)
        # ORC takes a dot for the way into a nested column, with no way around it.
        names = None if any("." in name for name in schema.names) else columns.names
        for stripe in stripes:
            batch = file.read_stripe(stripe, names)
            if batch.num_rows != found[stripe].rows:
                raise FormatError(f"stripe {stripe} has {batch.num_rows} rows, expected {found[stripe].rows}")
            for low in range(0, batch.num_rows, self._batch_size):
                yield columns.rows(batch.slice(low, self._batch_size))
