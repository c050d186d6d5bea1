"""Reads rows of batches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from datastream.connectors.lakehouse.rows_of_files import RowsOfFile, groups_of, opened_file
from datastream.errors import CheckpointDamaged, CheckpointMismatch, cut
from datastream.io import Batch, ReaderContext, SourceReader
from datastream.types import RowTypeInfo


class BatchesReader(SourceReader):
    """Reads splits.

    Args:
        folder: Of the batches.
        row_type: Their rows.
        context: Where the bytes are counted.
    """

    def __init__(self, folder: str, row_type: RowTypeInfo, context: ReaderContext) -> None:
        from datastream.types.arrow import row_reader, to_arrow_schema

        self._folder, self._schema = folder, to_arrow_schema(row_type)
        self._to_rows = row_reader(row_type)
        self._bytes = context.metrics.counter("numBytesIn")

    def read(self, split: list[RowsOfFile]) -> Iterator[Batch]:
        for part in split:
            path = os.path.join(self._folder, part.file.path)
            try:
                stream = open(path, "rb")  # noqa: SIM115 - closed below
            except FileNotFoundError:
                raise CheckpointDamaged(f"{path} is gone before it was read") from None
            with stream, opened_file(stream, path, part.file.rows, "the note of its batch") as file:
                yield from self._rows(file, part)

    def _rows(self, file: Any, part: RowsOfFile) -> Iterator[Batch]:
        import pyarrow as pa

        from datastream.formats.columnar.columns import Times, fitting

        found = file.schema_arrow
        if missing := [name for name in self._schema.names if name not in found.names]:
            raise CheckpointMismatch(
                f"a batch in {self._folder} has no column {cut(missing[0])}; it has {cut(found.names)}: it is of "
                "another DataFrame; give the source another location, and another uid"
            )
        fits = [fitting(found.field(each.name).type, each.type, Times(), False, each.name) for each in self._schema]
        for rows in groups_of(file.metadata, part, ()):
            self._bytes.inc(rows.size)
            for _, batch in rows.batches(file, None):
                columns = [fit(batch.column(each.name)) for each, fit in zip(self._schema, fits, strict=True)]
                yield Batch(self._to_rows(pa.RecordBatch.from_arrays(columns, schema=self._schema)))
