"""The settings of an `IcebergSink`, as its writers and its committer see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.naming import file_prefix, staging_folder
from datastream.connectors.lakehouse.partition_files import PartitionFiles
from datastream.connectors.lakehouse.write_settings import WriteSettings
from datastream.io import WriterContext

from .data_files import StagedLayout, TableLayout, WrittenFile
from .location import IcebergLocation, OpenedCatalog
from .partitioning import check_spec, column_of, partition_spec
from .schema import arrow_schema, check_columns, iceberg_schema, missing_columns, stored_rows
from .snapshots import head_of

#: How often columns are added that other tasks add at the same time.
_TRIES = 10


@dataclass(frozen=True)
class IcebergWriteSettings(WriteSettings):
    """What is written, and where.

    Attributes:
        create: Whether the table is made where there is none.
        properties: Of a table that is made, as pairs.
        identifiers: The identifier fields of a table that is made; the key's columns are.
    """

    location: IcebergLocation
    create: bool = False
    properties: tuple[tuple[str, str], ...] = ()
    identifiers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.check_columns(
            "IcebergSink", (*map(column_of, self.partition_by), *self.key, *self.identifiers, *self.required)
        )
        partition_spec(self.schema, self.partition_by)

    @property
    def schema(self) -> Any:
        """The Iceberg schema of the rows; its numbers are those of a new table."""
        return iceberg_schema(self._arrow, self.identifiers or self.key)

    @property
    def _arrow(self) -> Any:
        return arrow_schema(self.row_type, (*self.required, *self.key, *self.identifiers))

    def stored_rows(self) -> tuple[Any, Callable[[list[Any]], Any]]:
        return self._arrow, stored_rows(self.row_type, self.to_tuples is not None)[1]

    def new_files(self, context: WriterContext, epoch: int) -> PartitionFiles[WrittenFile]:
        table = self._opened()
        return PartitionFiles(TableLayout(self.location, table, self._arrow, file_prefix(context, epoch)))

    def new_staged_files(self, context: WriterContext, epoch: int, schema: Any) -> PartitionFiles[WrittenFile]:
        folder = staging_folder(context.job_id, context.uid)
        return PartitionFiles(StagedLayout(self.location, self._opened(), schema, folder, file_prefix(context, epoch)))

    def _opened(self) -> Any:
        catalog = OpenedCatalog(self.location)
        try:
            return self.prepared(catalog)
        finally:
            catalog.close()

    def prepared(self, catalog: OpenedCatalog) -> Any:
        """The table as it is now; it is made, and columns are added to it, where the settings say so.

        Raises:
            ValidationError: There is no such table, or rows of these columns cannot be added to it.
            UnsupportedOperation: It needs more of a writer than this one does.
        """
        from pyiceberg.exceptions import CommitFailedException

        wanted = self.schema
        for tries in range(_TRIES):
            table = catalog.load()
            if table is None and self.create:
                table = catalog.create(wanted, partition_spec(wanted, self.partition_by), dict(self.properties))
            table = table or catalog.there()
            self.check_table(table)
            missing = missing_columns(table, wanted)
            if not missing:
                break
            try:
                with self.location.reaching(), table.update_schema() as update:
                    for field in missing:
                        update.add_column(field.name, field.field_type)
                break
            except CommitFailedException:
                if tries == _TRIES - 1:
                    raise
        return table

    def check_table(self, table: Any) -> None:
        """See that rows can be added to a table.

        Raises:
            ValidationError: Columns or partitions differ, or there is no such branch.
            UnsupportedOperation: It needs more of a writer than this one does.
        """
        check_columns(self.location, table, self.schema, self.merge_schema)
        check_spec(self.location, table, self.partition_by)
        head_of(self.location, table)
