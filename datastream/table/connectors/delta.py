"""The connector ``delta``: tables of Delta Lake."""

from __future__ import annotations

from typing import Any

from datastream.connectors.delta import DeltaSink, DeltaSource
from datastream.connectors.delta.location import DeltaLocation
from datastream.connectors.delta.start import LATEST, DeltaStart
from datastream.errors import UnsupportedOperation, ValidationError, cut

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo
from .lakehouse import LakehouseConnector


class DeltaConnector(LakehouseConnector):
    """See the module. Writing is exactly once; with a PRIMARY KEY rows are merged by it.

    Reading ends with the files of one version, unless ``mode`` is streaming.
    """

    name = "delta"
    overwrites = True
    options = (
        Option("table-path", doc="The table: a folder, or a URI such as 's3://bucket/table'."),
        Option("path", doc="Another name of 'table-path'."),
        Option("storage.*", doc="Options of the store, such as 'storage.AWS_REGION'. No log, error or plan has them."),
        Option("mode", default="batch", choices=("batch", "streaming"), doc="Read one version, or follow new ones."),
        Option("versionAsOf", "integer", doc="Of batch: the version. Default: the latest."),
        Option("timestampAsOf", doc="Of batch: the latest version of this time, such as '2026-01-31 12:00:00' in UTC."),
        Option("startingVersion", doc="Of streaming: the first version whose new rows are read, or 'latest'."),
        Option("startingTimestamp", doc="Of streaming: the same, as the first version of this time or later."),
        Option("updateCheckIntervalMillis", "integer", 5000, doc="How often to look for new versions."),
        Option("ignoreDeletes", "boolean", False, doc="Pass versions over that only remove rows."),
        Option("ignoreChanges", "boolean", False, doc="Read files with rewritten rows as if all their rows were new."),
        SOURCE_PARALLELISM,
        Option("delta.*", doc="Of a new table: properties, such as 'delta.appendOnly'."),
        Option("sink.merge-schema", "boolean", False, doc="Add columns that the table lacks; write NULL to others."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        _location(table, settings)
        _start(table, settings)
        if settings["updateCheckIntervalMillis"] <= 0:
            raise ValidationError(f"{table}: the value of 'updateCheckIntervalMillis' must be positive")

    def source(self, table: TableInfo, settings: Settings, **reading: Any) -> DeltaSource:
        return DeltaSource(
            _location(table, settings),
            start=_start(table, settings),
            interval_ms=settings["updateCheckIntervalMillis"] if settings["mode"] == "streaming" else None,
            ignore_deletes=settings["ignoreDeletes"],
            ignore_changes=settings["ignoreChanges"],
            **reading,
        )

    def table_sink(self, table: TableInfo, settings: Settings, updates: bool, **writing: Any) -> DeltaSink:
        if updates and table.overwrite:
            raise UnsupportedOperation("INSERT OVERWRITE takes no query that updates its rows")
        return DeltaSink(
            _location(table, settings),
            partition_by=table.partition_keys,
            merge_schema=settings["sink.merge-schema"],
            key=table.primary_key,
            kinds=updates,
            overwrite=table.overwrite,
            properties=tuple(
                sorted((name, value) for name, value in table.options.items() if name.startswith("delta."))
            ),
            **writing,
        )


def _location(table: TableInfo, settings: Settings) -> DeltaLocation:
    given = [settings[name] for name in ("table-path", "path") if settings[name] is not None]
    if len(given) != 1:
        raise ValidationError(f"{table}: one of the options 'table-path' and 'path' must be set")
    return DeltaLocation.of(given[0], settings.below("storage."))


def _start(table: TableInfo, settings: Settings) -> DeltaStart:
    version = settings["startingVersion"]
    if version is not None and version != LATEST:
        if not version.isdecimal():
            raise ValidationError(
                f"{table}: option 'startingVersion': expected a whole number or 'latest', got {cut(version)}"
            )
        version = int(version)
    start = DeltaStart(settings["versionAsOf"], settings["timestampAsOf"], version, settings["startingTimestamp"])
    start.check(settings["mode"] == "batch", str(table))
    return start
