"""The settings of a `DeltaSink`, as its writers and its committer see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.connectors.lakehouse.naming import file_prefix, staging_folder
from datastream.connectors.lakehouse.partition_files import PartitionFiles
from datastream.connectors.lakehouse.write_settings import WriteSettings
from datastream.errors import ValidationError
from datastream.io import WriterContext

from .data_files import DataFile, DeltaLayout
from .location import DeltaLocation
from .partitions import check_partition_type
from .schema import arrow_schema, stored_rows


@dataclass(frozen=True)
class DeltaWriteSettings(WriteSettings):
    """What is written, and where.

    Attributes:
        location: The table.
        properties: Of a table that is made, as pairs.
    """

    location: DeltaLocation
    properties: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        self.check_columns("DeltaSink", (*self.partition_by, *self.key, *self.required))
        if len(set(self.partition_by)) == len(self.row_type.get_field_names()):
            raise ValidationError("DeltaSink: at least one column must be no partition column")
        schema = arrow_schema(self.row_type)
        for name in self.partition_by:
            check_partition_type(schema.field(name).type, name)

    def stored_rows(self) -> tuple[Any, Callable[[list[Any]], Any]]:
        return arrow_schema(self.row_type, self.required), stored_rows(self.row_type, self.to_tuples is not None)[1]

    def new_files(self, context: WriterContext, epoch: int) -> PartitionFiles[DataFile]:
        schema = arrow_schema(self.row_type, self.required)
        return PartitionFiles(DeltaLayout(self.location, schema, self.partition_by, file_prefix(context, epoch)))

    def new_staged_files(self, context: WriterContext, epoch: int, schema: Any) -> PartitionFiles[DataFile]:
        folder = staging_folder(context.job_id, context.uid)
        return PartitionFiles(DeltaLayout(self.location, schema, (), file_prefix(context, epoch), folder))
