"""`IcebergSource`: the rows of a table of Apache Iceberg, of one snapshot or of all that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from datastream.connectors.lakehouse.source import VersionsSource, VersionsSourceBuilder, row_type_of
from datastream.errors import ValidationError
from datastream.io import ReaderContext, SourceReader
from datastream.time import Duration
from datastream.types import RowTypeInfo

from .enumerator import IcebergEnumerator
from .library import check_library
from .location import IcebergLocation, OpenedCatalog
from .read_settings import IcebergReadSettings
from .reader import IcebergReader
from .start import IcebergStart

#: As in Flink's connector.
_INTERVAL_MS = 60_000


@dataclass(frozen=True)
class IcebergSource(IcebergReadSettings, VersionsSource):
    """Reads the rows of a table of Apache Iceberg. Made by `builder`.

    Bounded, it reads the files of one snapshot. Otherwise it reads what snapshots add, exactly once over restarts. A
    snapshot that deletes or rewrites rows fails the job, unless a setting says otherwise.

    Attributes: see `ReadSettings` and `IcebergReadSettings`.
    """

    @staticmethod
    def builder() -> IcebergSourceBuilder:
        """A builder."""
        return IcebergSourceBuilder()

    def enumerator(self) -> IcebergEnumerator:
        return IcebergEnumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return IcebergReader(self, context)


class IcebergSourceBuilder(VersionsSourceBuilder):
    """Builds an `IcebergSource`; `set_catalog` and `set_table` are needed."""

    _built = "IcebergSource"

    def __init__(self) -> None:
        super().__init__()
        self._catalog: Any = None
        self._properties: Mapping[str, str] = {}
        self._table: Any = None
        self._branch = "main"
        self._skip_deletes = self._skip_overwrites = False

    def set_catalog(self, name: str, properties: Mapping[str, str] | None = None) -> Self:
        """The catalog: its name, and what ``pyiceberg.catalog.load_catalog`` takes, such as ``type`` and ``uri``.

        Properties are never shown. Those of ``.pyiceberg.yaml`` and of the environment need not be repeated.
        """
        self._catalog, self._properties = name, dict(properties or {})
        return self

    def set_table(self, table: str) -> Self:
        """The table: ``database.table``."""
        self._table = table
        return self

    def set_branch(self, branch: str) -> Self:
        """The branch that is read. Default: ``main``."""
        self._branch = branch
        return self

    def set_snapshot_id(self, snapshot_id: int) -> Self:
        """Read this snapshot. Bounded sources only."""
        self._start["snapshot_id"] = snapshot_id
        return self

    def set_as_of_timestamp(self, timestamp: str) -> Self:
        """Read the snapshot that was the latest at this time, such as ``2026-01-31 12:00:00`` in UTC. Bounded only."""
        self._start["as_of_timestamp"] = str(timestamp)
        return self

    def set_tag(self, tag: str) -> Self:
        """Read the snapshot of a tag. Bounded sources only."""
        self._start["tag"] = tag
        return self

    def set_starting_strategy(self, strategy: str) -> Self:
        """Where following begins, by the name of Flink's connector. Default: ``INCREMENTAL_FROM_LATEST_SNAPSHOT``.

        ``TABLE_SCAN_THEN_INCREMENTAL`` reads all rows that the table has first. Unbounded sources only.
        """
        self._start["strategy"] = strategy
        return self

    def set_start_snapshot_id(self, snapshot_id: int) -> Self:
        """Read what is added from this snapshot on, which is included. Unbounded only."""
        self._start["start_snapshot_id"] = snapshot_id
        return self

    def set_start_snapshot_timestamp(self, timestamp: str) -> Self:
        """Read what is added by snapshots of this time or later. Unbounded only."""
        self._start["start_snapshot_timestamp"] = str(timestamp)
        return self

    def monitor_continuously(self, monitor_interval: Duration | None = None) -> Self:
        """Follow new snapshots, and never end.

        Args:
            monitor_interval: How often to look for them. Default: 60 s.
        """
        self._interval_ms = _INTERVAL_MS if monitor_interval is None else monitor_interval.to_millis()
        return self

    def set_skip_deletes(self, skip_deletes: bool = True) -> Self:
        """Pass snapshots over that only delete rows."""
        self._skip_deletes = skip_deletes
        return self

    def set_skip_overwrites(self, skip_overwrites: bool = True) -> Self:
        """Pass snapshots over that rewrite rows; the rows that they add stay unread."""
        self._skip_overwrites = skip_overwrites
        return self

    def build(self) -> IcebergSource:
        """The source. Without `set_row_type` the table is looked at.

        Raises:
            ValidationError: Something is missing, wrong or contradictory; or there is no such table.
        """
        check_library()
        for value, call in ((self._catalog, "set_catalog"), (self._table, "set_table")):
            if value is None:
                raise ValidationError(f"IcebergSource: {call} was not called")
        location = IcebergLocation.of(self._catalog, self._table, self._properties, self._branch)
        start = IcebergStart(**self._start)
        start.check(self._interval_ms is None, self._built)
        row_type = self._read_rows(location.name, lambda: table_row_type(location, start))
        return IcebergSource(
            location,
            row_type,
            start,
            self._interval_ms,
            skip_deletes=self._skip_deletes,
            skip_overwrites=self._skip_overwrites,
        )


def table_row_type(location: IcebergLocation, start: IcebergStart) -> RowTypeInfo:
    """The type of all columns of a table.

    Raises:
        ValidationError: There is no such table, or a column cannot be read.
    """
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    catalog = OpenedCatalog(location)
    try:
        table = catalog.there()
    finally:
        catalog.close()
    snapshot = start.snapshot_of(location, table)
    old = table.schemas().get(snapshot.schema_id) if start != IcebergStart() and snapshot is not None else None
    return row_type_of(lambda: schema_to_pyarrow(old or table.schema(), include_field_ids=False), location.name)
