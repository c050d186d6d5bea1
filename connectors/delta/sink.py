"""`DeltaSink`: rows into a table of Delta Lake, exactly once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from datastream.connectors.lakehouse.writers import AppendingWriter, MergingWriter
from datastream.errors import ValidationError
from datastream.formats.columnar.row_types import checked_row_type
from datastream.io import Committer, CommitterContext, Consumed, Sink, SinkWriter, WriterContext

from .committer import DeltaCommitter
from .library import deltalake
from .location import DeltaLocation
from .schema import arrow_schema, check_written, delta_schema
from .write_settings import DeltaWriteSettings


@dataclass(frozen=True)
class DeltaSink(DeltaWriteSettings, Sink):
    """Adds rows to a table of Delta Lake, exactly once with a checkpoint directory. Made by `builder`.

    Tasks write an epoch's rows as Parquet files of the table, one for each task and partition. When all tasks have
    ended, one transaction adds the files to the table's log, together with the job's id, the sink's uid and the epoch.
    An epoch that the log has is not committed again. Readers see all of an epoch or nothing.

    Attributes: see `DeltaWriteSettings`.
    """

    @staticmethod
    def builder() -> DeltaSinkBuilder:
        """A builder."""
        return DeltaSinkBuilder()

    @property
    def consumed(self) -> Consumed:
        return Consumed(needs_checkpoint=True)

    def validate(self) -> None:
        deltalake()
        wanted = delta_schema(arrow_schema(self.row_type, self.required))
        table = self.location.open()
        if table is not None:
            check_written(self.location, table, wanted, self.partition_by, self.merge_schema)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return MergingWriter(self, context) if self.merges else AppendingWriter(self, context)

    def create_committer(self, context: CommitterContext) -> Committer:
        return DeltaCommitter(self, context)


class DeltaSinkBuilder:
    """Builds a `DeltaSink`; `set_path` and `set_row_type` are needed."""

    def __init__(self) -> None:
        self._path: Any = None
        self._options: Mapping[str, str] = {}
        self._row_type: Any = None
        self._partition_by: tuple[str, ...] = ()
        self._merge_schema = False
        self._table_properties: Mapping[str, str] = {}

    def set_path(self, path: str | PathLike[str]) -> DeltaSinkBuilder:
        """The table: a local folder, or a URI such as ``s3://bucket/table``. It is made unless it is there."""
        self._path = path
        return self

    def set_storage_options(self, options: Mapping[str, str]) -> DeltaSinkBuilder:
        """Options of delta-rs' store, such as ``AWS_ACCESS_KEY_ID``. They are never shown."""
        self._options = dict(options)
        return self

    def set_row_type(self, row_type: Any) -> DeltaSinkBuilder:
        """The rows: `Types.ROW_NAMED(...)`."""
        self._row_type = row_type
        return self

    def set_partition_by(self, *columns: str) -> DeltaSinkBuilder:
        """The partition columns, from the outermost."""
        self._partition_by = columns
        return self

    def set_table_properties(self, properties: Mapping[str, str]) -> DeltaSinkBuilder:
        """Properties of a table that is made, such as ``delta.appendOnly``."""
        self._table_properties = dict(properties)
        return self

    def set_merge_schema(self, merge_schema: bool) -> DeltaSinkBuilder:
        """Whether columns that the table does not have are added to it, and those that the rows lack are NULL.

        Default: a table with other columns is refused.
        """
        self._merge_schema = merge_schema
        return self

    def build(self) -> DeltaSink:
        """The sink.

        Raises:
            ValidationError: Something is missing or wrong.
        """
        if self._path is None:
            raise ValidationError("DeltaSink: set_path was not called")
        if self._row_type is None:
            raise ValidationError("DeltaSink: set_row_type was not called; give it Types.ROW_NAMED(names, types)")
        row_type = checked_row_type(self._row_type, "DeltaSink")
        location = DeltaLocation.of(self._path, self._options)
        properties = tuple(sorted(self._table_properties.items()))
        return DeltaSink(location, row_type, self._partition_by, self._merge_schema, properties=properties)
