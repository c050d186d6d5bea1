"""Parquet files of an epoch on their way into a table: one a task and partition."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any, Generic, TypeVar

from datastream.errors import FormatError
from datastream.formats.columnar.parquet_groups import ParquetGroups
from datastream.formats.columnar.streams import KeptOpen

#: Bytes of a row group at most, in Arrow's form: what a task holds in memory.
_GROUP_BYTES = 64 * 1024 * 1024

#: What a table's log keeps of a file.
F = TypeVar("F")


class Layout(ABC, Generic[F]):
    """How a table lays its files out.

    Attributes:
        table: Names the table in errors.
        schema: The Arrow schema of the rows that are added.
        stored: The Arrow schema of the files.
        options: Of pyarrow's Parquet writer.
    """

    table: str
    schema: Any
    stored: Any
    options: dict[str, Any]

    @abstractmethod
    def split(self, rows: Any) -> Iterator[tuple[Any, Any]]:
        """The rows of each partition in an Arrow table, in their order: what the partition is, and what its file has.

        A partition may be the key of a dict.
        """

    @abstractmethod
    def new_file(self, partition: Any) -> tuple[str, Any]:
        """The path of a new file, and a stream that takes its bytes."""

    @abstractmethod
    def finished(self, path: str, partition: Any, size: int, metadata: Any, nulls: frozenset[str]) -> F:
        """What the table's log keeps of a file that is written.

        Args:
            path: Its path.
            partition: Its partition.
            size: Bytes.
            metadata: Of pyarrow.
            nulls: The columns in which a row has None.
        """

    @abstractmethod
    def remove(self, paths: list[str]) -> None:
        """Remove files, as far as that can be done."""

    @abstractmethod
    def reaching(self) -> AbstractContextManager[None]:
        """What the store's failures become."""


class _Stream:
    """What pyarrow's writer needs of a file of the store."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = 0

    def tell(self) -> int:
        return self.size

    def write(self, data: Any) -> int:
        self._file.write(bytes(data))
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing: the store keeps a file as a whole."""

    def close(self) -> None:
        self._file.close()


class _OpenFile(Generic[F]):
    def __init__(self, layout: Layout[F], partition: Any) -> None:
        self._layout, self._partition, self._metadata = layout, partition, []  # type: tuple[Layout[F], Any, list[Any]]
        self._nulls: set[str] = set()
        self.path, file = layout.new_file(partition)
        self._stream = _Stream(file)
        self._groups = ParquetGroups(
            KeptOpen(self._stream),  # type: ignore[arg-type]
            layout.stored,
            {**layout.options, "metadata_collector": self._metadata},
        )

    def write(self, table: Any) -> None:
        self._nulls |= {name for name in table.column_names if table[name].null_count}
        self._groups.write(table.to_batches())

    def close(self) -> None:
        self._groups.close()
        self._stream.close()

    def finish(self) -> F:
        self.close()
        return self._layout.finished(
            self.path, self._partition, self._stream.size, self._metadata[0], frozenset(self._nulls)
        )


class PartitionFiles(Generic[F]):
    """Writes Arrow batches of all columns, each row to the file of its partition.

    Args:
        layout: How the table lays its files out.
    """

    def __init__(self, layout: Layout[F]) -> None:
        self._layout = layout
        self._open: dict[Any, _OpenFile[F]] = {}
        self._waiting: list[Any] = []
        self._bytes = 0

    def add(self, batch: Any) -> None:
        """Take an Arrow batch, which is written with others as a row group.

        Raises:
            FormatError: A column that is NOT NULL has a None.
        """
        self._waiting.append(batch)
        self._bytes += batch.nbytes
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        batches, self._waiting, self._bytes = self._waiting, [], 0
        if not batches:
            return
        table, schema = pa.Table.from_batches(batches), self._layout.schema
        for field in schema:
            if not field.nullable and table[field.name].null_count:
                raise FormatError(
                    f"column {field.name} of the table {self._layout.table} is NOT NULL, and a row has None"
                )
        with self._layout.reaching():
            for partition, rows in self._layout.split(table.cast(schema)):
                if partition not in self._open:
                    self._open[partition] = _OpenFile(self._layout, partition)
                self._open[partition].write(rows)

    def finish(self) -> list[F]:
        """Write what waits, and finish the files."""
        self._flush()
        with self._layout.reaching():
            return [file.finish() for file in self._open.values()]

    def abort(self) -> None:
        """Remove the files."""
        for file in self._open.values():
            with suppress(Exception):
                file.close()
        self._layout.remove([file.path for file in self._open.values()])


def split_by(rows: Any, columns: list[Any]) -> Iterator[tuple[int, Any]]:
    """The rows of an Arrow table by the values of columns of it or beside it, in their order.

    Yields:
        The number of a row with these values, and the rows.
    """
    import numpy as np
    import pyarrow as pa

    if not columns:
        yield 0, rows
        return
    codes = np.zeros(rows.num_rows, dtype=np.int64)
    for column in columns:
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        encoded = whole.dictionary_encode(null_encoding="encode")
        encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
        mixed = codes * max(len(encoded.dictionary), 1) + encoded.indices.to_numpy(zero_copy_only=False)
        codes = np.unique(mixed, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    ends = [*(np.flatnonzero(np.diff(codes[order])) + 1), rows.num_rows]
    start = 0
    for end in ends:
        yield int(order[start]), rows.take(pa.array(order[start:end]))
        start = int(end)
