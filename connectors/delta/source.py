"""`DeltaSource`: the rows of a table of Delta Lake, of one version or of all that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self

from datastream.connectors.lakehouse.source import VersionsSource, VersionsSourceBuilder, row_type_of
from datastream.errors import ValidationError
from datastream.io import ReaderContext, SourceReader
from datastream.time import Duration
from datastream.types import RowTypeInfo

from .enumerator import DeltaEnumerator
from .library import deltalake
from .location import DeltaLocation
from .read_settings import DeltaReadSettings
from .reader import DeltaReader
from .start import DeltaStart, no_table

#: As in Flink's connector.
_INTERVAL_MS = 5_000


@dataclass(frozen=True)
class DeltaSource(DeltaReadSettings, VersionsSource):
    """Reads the rows of a table of Delta Lake. Made by `builder`.

    Bounded, it reads the files of one version. Otherwise it reads these and then what each later version adds, exactly
    once over restarts. A version that removes or rewrites rows fails the job, unless a setting says otherwise.

    Attributes: see `ReadSettings` and `DeltaReadSettings`.
    """

    @staticmethod
    def builder() -> DeltaSourceBuilder:
        """A builder."""
        return DeltaSourceBuilder()

    def enumerator(self) -> DeltaEnumerator:
        return DeltaEnumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return DeltaReader(self, context)


class DeltaSourceBuilder(VersionsSourceBuilder):
    """Builds a `DeltaSource`; `set_path` is needed."""

    _built = "DeltaSource"

    def __init__(self) -> None:
        super().__init__()
        self._path: Any = None
        self._options: Mapping[str, str] = {}
        self._ignore_deletes = self._ignore_changes = False

    def set_path(self, path: str | PathLike[str]) -> Self:
        """The table: a local folder, or a URI such as ``s3://bucket/table``."""
        self._path = path
        return self

    def set_storage_options(self, options: Mapping[str, str]) -> Self:
        """Options of delta-rs' store, such as ``AWS_ACCESS_KEY_ID``. They are never shown."""
        self._options = dict(options)
        return self

    def set_version_as_of(self, version: int) -> Self:
        """Read this version. Bounded sources only."""
        self._start["version_as_of"] = version
        return self

    def set_timestamp_as_of(self, timestamp: str) -> Self:
        """Read the version that was the latest at this time, such as ``2026-01-31 12:00:00`` in UTC. Bounded only."""
        self._start["timestamp_as_of"] = timestamp
        return self

    def set_starting_version(self, version: int | str) -> Self:
        """Read what is added from this version on, or from the next one: ``latest``. Unbounded only."""
        self._start["starting_version"] = version
        return self

    def set_starting_timestamp(self, timestamp: str) -> Self:
        """Read what is added by versions of this time or later. Unbounded only."""
        self._start["starting_timestamp"] = timestamp
        return self

    def monitor_continuously(self, discovery_interval: Duration | None = None) -> Self:
        """Follow new versions, and never end.

        Args:
            discovery_interval: How often to look for them. Default: 5 s.
        """
        self._interval_ms = _INTERVAL_MS if discovery_interval is None else discovery_interval.to_millis()
        return self

    def set_ignore_deletes(self, ignore_deletes: bool = True) -> Self:
        """Pass versions over that only remove rows."""
        self._ignore_deletes = ignore_deletes
        return self

    def set_ignore_changes(self, ignore_changes: bool = True) -> Self:
        """Read versions that rewrite rows as if all rows of their new files were new; removed rows stay unnoticed."""
        self._ignore_changes = ignore_changes
        return self

    def build(self) -> DeltaSource:
        """The source. Without `set_row_type` the table is looked at.

        Raises:
            ValidationError: Something is missing, wrong or contradictory; or there is no such table.
        """
        if self._path is None:
            raise ValidationError("DeltaSource: set_path was not called")
        location = DeltaLocation.of(self._path, self._options)
        start = DeltaStart(**self._start)
        start.check(self._interval_ms is None, self._built)
        row_type = self._read_rows(location.path, lambda: table_row_type(location, start))
        return DeltaSource(
            location,
            row_type,
            start,
            self._interval_ms,
            ignore_deletes=self._ignore_deletes,
            ignore_changes=self._ignore_changes,
        )


def table_row_type(location: DeltaLocation, start: DeltaStart) -> RowTypeInfo:
    """The type of all columns of a table.

    Raises:
        ValidationError: There is no such table, or a column cannot be read.
    """
    import pyarrow as pa

    deltalake()
    table = location.open(start.version_of(location))
    if table is None:
        raise no_table(location)
    return row_type_of(lambda: pa.schema(table.schema().to_arrow()), location.path)
