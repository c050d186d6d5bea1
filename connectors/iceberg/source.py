"""`IcebergSource`: the rows of a table of Apache Iceberg, of one snapshot or of all that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, ValidationError
from datastream.formats.columnar.row_types import picked_columns, readable_row_type
from datastream.io import EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.time import Duration
from datastream.types import RowTypeInfo

from .enumerator import IcebergEnumerator
from .library import check_library
from .location import IcebergLocation, OpenedCatalog
from .read_settings import ReadSettings
from .reader import IcebergReader
from .start import IcebergStart

#: As in Flink's connector.
_INTERVAL_MS = 60_000


@dataclass(frozen=True)
class IcebergSource(ReadSettings, Source):
    """Reads the rows of a table of Apache Iceberg. Made by `builder`.

    Bounded, it reads the files of one snapshot. Otherwise it reads what snapshots add, exactly once over restarts. A
    snapshot that deletes or rewrites rows fails the job, unless a setting says otherwise.

    Attributes: see `ReadSettings`.
    """

    grows = False

    @staticmethod
    def builder() -> IcebergSourceBuilder:
        """A builder."""
        return IcebergSourceBuilder()

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        return self.is_bounded

    @property
    def produced(self) -> Produced:
        return Produced(self.row_type if self.to_records is None else self.record_type, exact=self.to_records is None)

    def validate(self) -> None:
        enumerator = self.enumerator()
        try:
            enumerator.check()
        finally:
            enumerator.close()

    def enumerator(self) -> IcebergEnumerator:
        """What finds the files."""
        return IcebergEnumerator(self)

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return self.enumerator()

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return IcebergReader(self, context)


class IcebergSourceBuilder:
    """Builds an `IcebergSource`; `set_catalog` and `set_table` are needed."""

    def __init__(self) -> None:
        self._catalog: Any = None
        self._properties: Mapping[str, str] = {}
        self._table: Any = None
        self._branch = "main"
        self._columns: tuple[str, ...] = ()
        self._row_type: Any = None
        self._start: dict[str, Any] = {}
        self._interval_ms: int | None = None
        self._skip_deletes = self._skip_overwrites = False

    def set_catalog(self, name: str, properties: Mapping[str, str] | None = None) -> IcebergSourceBuilder:
        """The catalog: its name, and what ``pyiceberg.catalog.load_catalog`` takes, such as ``type`` and ``uri``.

        Properties are never shown. Those of ``.pyiceberg.yaml`` and of the environment need not be repeated.
        """
        self._catalog, self._properties = name, dict(properties or {})
        return self

    def set_table(self, table: str) -> IcebergSourceBuilder:
        """The table: ``database.table``."""
        self._table = table
        return self

    def set_branch(self, branch: str) -> IcebergSourceBuilder:
        """The branch that is read. Default: ``main``."""
        self._branch = branch
        return self

    def set_column_names(self, *columns: str) -> IcebergSourceBuilder:
        """The columns that are read, in this order. Default: all."""
        self._columns = columns
        return self

    def set_row_type(self, row_type: Any) -> IcebergSourceBuilder:
        """The rows, instead of the types of the table's columns: `Types.ROW_NAMED(...)`."""
        self._row_type = row_type
        return self

    def set_snapshot_id(self, snapshot_id: int) -> IcebergSourceBuilder:
        """Read this snapshot. Bounded sources only."""
        self._start["snapshot_id"] = snapshot_id
        return self

    def set_as_of_timestamp(self, timestamp: str) -> IcebergSourceBuilder:
        """Read the snapshot that was the latest at this time, such as ``2026-01-31 12:00:00`` in UTC. Bounded only."""
        self._start["as_of_timestamp"] = str(timestamp)
        return self

    def set_tag(self, tag: str) -> IcebergSourceBuilder:
        """Read the snapshot of a tag. Bounded sources only."""
        self._start["tag"] = tag
        return self

    def set_starting_strategy(self, strategy: str) -> IcebergSourceBuilder:
        """Where following begins, by the name of Flink's connector. Default: ``INCREMENTAL_FROM_LATEST_SNAPSHOT``.

        ``TABLE_SCAN_THEN_INCREMENTAL`` reads all rows that the table has first. Unbounded sources only.
        """
        self._start["strategy"] = strategy
        return self

    def set_start_snapshot_id(self, snapshot_id: int) -> IcebergSourceBuilder:
        """Read what is added from this snapshot on, which is included. Unbounded only."""
        self._start["start_snapshot_id"] = snapshot_id
        return self

    def set_start_snapshot_timestamp(self, timestamp: str) -> IcebergSourceBuilder:
        """Read what is added by snapshots of this time or later. Unbounded only."""
        self._start["start_snapshot_timestamp"] = str(timestamp)
        return self

    def monitor_continuously(self, monitor_interval: Duration | None = None) -> IcebergSourceBuilder:
        """Follow new snapshots, and never end.

        Args:
            monitor_interval: How often to look for them. Default: 60 s.
        """
        self._interval_ms = _INTERVAL_MS if monitor_interval is None else monitor_interval.to_millis()
        return self

    def set_skip_deletes(self, skip_deletes: bool = True) -> IcebergSourceBuilder:
        """Pass snapshots over that only delete rows."""
        self._skip_deletes = skip_deletes
        return self

    def set_skip_overwrites(self, skip_overwrites: bool = True) -> IcebergSourceBuilder:
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
        start.check(self._interval_ms is None, "IcebergSource")
        row_type = readable_row_type(self._row_type or table_row_type(location, start), "IcebergSource")
        if self._columns:
            row_type = picked_columns(row_type, self._columns, f"the table {location.name}")
        return IcebergSource(location, row_type, start, self._interval_ms, self._skip_deletes, self._skip_overwrites)


def table_row_type(location: IcebergLocation, start: IcebergStart) -> RowTypeInfo:
    """The type of all columns of a table.

    Raises:
        ValidationError: There is no such table, or a column cannot be read.
    """
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    from datastream.types.arrow import from_arrow

    catalog = OpenedCatalog(location)
    try:
        table = catalog.there()
    finally:
        catalog.close()
    snapshot = start.snapshot_of(location, table)
    old = table.schemas().get(snapshot.schema_id) if start != IcebergStart() and snapshot is not None else None
    try:
        found = from_arrow(schema_to_pyarrow(old or table.schema(), include_field_ids=False))
    except FormatError as error:
        raise ValidationError(f"the table {location.name}: {error}") from None
    assert isinstance(found, RowTypeInfo)
    return found
