"""`IcebergSink`: rows into a table of Apache Iceberg, exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.writers import AppendingWriter, MergingWriter
from datastream.errors import ValidationError
from datastream.formats.columnar.row_types import checked_row_type
from datastream.io import Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext

from .committer import IcebergCommitter
from .library import check_library
from .location import IcebergLocation, OpenedCatalog
from .write_settings import IcebergWriteSettings


@dataclass(frozen=True)
class IcebergSink(IcebergWriteSettings, Sink):
    """Adds rows to a table of Apache Iceberg, exactly once with a checkpoint directory. Made by `builder`.

    Tasks write an epoch's rows as Parquet files of the table, one for each task and partition. When all tasks have
    ended, one snapshot adds the files to the table; its summary has the job's id, the sink's uid and the epoch. An
    epoch that the table has is not committed again. Readers see all of an epoch or nothing.

    Attributes: see `IcebergWriteSettings`.
    """

    @staticmethod
    def builder() -> IcebergSinkBuilder:
        """A builder."""
        return IcebergSinkBuilder()

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def validate(self) -> None:
        check_library()
        catalog = OpenedCatalog(self.location)
        try:
            table = catalog.load() if self.create else catalog.there()
        finally:
            catalog.close()
        if table is not None:
            self.check_table(table)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return MergingWriter(self, context) if self.merges else AppendingWriter(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return IcebergCommitter(self, context)


class IcebergSinkBuilder:
    """Builds an `IcebergSink`; `set_catalog`, `set_table` and `set_row_type` are needed."""

    def __init__(self) -> None:
        self._catalog: Any = None
        self._properties: Mapping[str, str] = {}
        self._table: Any = None
        self._branch = "main"
        self._row_type: Any = None
        self._partition_by: tuple[str, ...] = ()
        self._merge_schema = self._create = False
        self._key: tuple[str, ...] = ()
        self._table_properties: Mapping[str, str] = {}

    def set_catalog(self, name: str, properties: Mapping[str, str] | None = None) -> IcebergSinkBuilder:
        """The catalog: its name, and what ``pyiceberg.catalog.load_catalog`` takes, such as ``type`` and ``uri``.

        Properties are never shown. Those of ``.pyiceberg.yaml`` and of the environment need not be repeated.
        """
        self._catalog, self._properties = name, dict(properties or {})
        return self

    def set_table(self, table: str) -> IcebergSinkBuilder:
        """The table: ``database.table``."""
        self._table = table
        return self

    def set_branch(self, branch: str) -> IcebergSinkBuilder:
        """The branch that is written. It must be there. Default: ``main``."""
        self._branch = branch
        return self

    def set_row_type(self, row_type: Any) -> IcebergSinkBuilder:
        """The rows: `Types.ROW_NAMED(...)`."""
        self._row_type = row_type
        return self

    def set_create_table(self, create_table: bool = True) -> IcebergSinkBuilder:
        """Whether the table, and its database, are made where there are none. Default: it must be there."""
        self._create = create_table
        return self

    def set_partition_by(self, *partitions: str) -> IcebergSinkBuilder:
        """The partitions, from the outermost: ``city``, ``days(at)``, ``bucket(16, id)``, ``truncate(4, name)``, ...

        Default: those of the table.
        """
        self._partition_by = partitions
        return self

    def set_table_properties(self, properties: Mapping[str, str]) -> IcebergSinkBuilder:
        """Properties of a table that is made, such as ``write.parquet.compression-codec``."""
        self._table_properties = dict(properties)
        return self

    def set_merge_schema(self, merge_schema: bool = True) -> IcebergSinkBuilder:
        """Whether columns that the table does not have are added to it, and those that the rows lack are NULL.

        Default: a table with other columns is refused.
        """
        self._merge_schema = merge_schema
        return self

    def set_upsert_by(self, *columns: str) -> IcebergSinkBuilder:
        """The columns by which rows replace each other. Default: each row is one more."""
        self._key = columns
        return self

    def build(self) -> IcebergSink:
        """The sink.

        Raises:
            ValidationError: Something is missing or wrong.
        """
        check_library()
        for value, call in ((self._catalog, "set_catalog"), (self._table, "set_table")):
            if value is None:
                raise ValidationError(f"IcebergSink: {call} was not called")
        if self._row_type is None:
            raise ValidationError("IcebergSink: set_row_type was not called; give it Types.ROW_NAMED(names, types)")
        return IcebergSink(
            IcebergLocation.of(self._catalog, self._table, self._properties, self._branch),
            checked_row_type(self._row_type, "IcebergSink"),
            self._partition_by,
            self._merge_schema,
            self._key,
            create=self._create,
            properties=tuple(sorted(self._table_properties.items())),
        )
