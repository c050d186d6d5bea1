"""The connector ``iceberg``: tables of Apache Iceberg."""

from __future__ import annotations

from typing import Any

from datastream.connectors.iceberg import IcebergSink, IcebergSource
from datastream.connectors.iceberg.location import IcebergLocation, catalog_properties
from datastream.connectors.iceberg.start import STRATEGIES, IcebergStart
from datastream.errors import UnsupportedOperation, ValidationError

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, Option, Settings, TableInfo, naming
from .lakehouse import LakehouseConnector

#: Options of the catalog.
_CATALOG = ("catalog-type", "catalog-impl", "uri", "warehouse")


class IcebergConnector(LakehouseConnector):
    """See the module. Writing is exactly once; changes of a query are merged by the PRIMARY KEY.

    Reading ends with the files of one snapshot, unless ``streaming`` is set.
    """

    name = "iceberg"
    overwrites = True
    options = (
        Option("catalog-name", required=True, doc="The name of the catalog."),
        Option("catalog-type", doc="Its type: rest, sql, hive, glue, dynamodb, bigquery, ... of pyiceberg."),
        Option("catalog-impl", doc="Instead: its class, of Python, or of Java if there is a type for it."),
        Option("uri", doc="Where the catalog is. Credentials in it are never shown."),
        Option("warehouse", doc="Where the catalog keeps tables."),
        Option("catalog.*", doc="Other properties of it, such as 'catalog.s3.endpoint'. No log or error has them."),
        Option("catalog-database", doc="The database in the catalog. Default: the current one."),
        Option("catalog-table", doc="The table in the catalog. Default: the table's name."),
        Option("branch", default="main", doc="The branch that is read or written."),
        Option("streaming", "boolean", False, doc="Follow new snapshots."),
        Option("monitor-interval", "duration", 60_000, doc="How often to look for new snapshots."),
        Option("starting-strategy", choices=tuple(each.lower() for each in STRATEGIES), doc="Where streaming begins."),
        Option("start-snapshot-id", "integer", doc="Of streaming: the first snapshot whose new rows are read."),
        Option("start-snapshot-timestamp", doc="Of streaming: the same, as the first one of this time or later."),
        Option("snapshot-id", "integer", doc="The snapshot that is read. Default: the latest."),
        Option("as-of-timestamp", doc="The latest one of this time: ms since 1970, or '2026-01-31 12:00:00' in UTC."),
        Option("tag", doc="The snapshot of a tag."),
        Option("streaming-skip-delete-snapshots", "boolean", False, doc="Pass snapshots over that only delete rows."),
        Option("streaming-skip-overwrite-snapshots", "boolean", False, doc="Pass snapshots over that rewrite rows."),
        SOURCE_PARALLELISM,
        Option("write.upsert.enabled", "boolean", False, doc="Rows replace those of their PRIMARY KEY."),
        Option("write.partition-by", "list", (), doc="Of a new table: such as 'days(at);bucket(16, id)'."),
        Option("table.*", doc="Of a new table: properties, such as 'table.write.parquet.compression-codec'."),
        Option("sink.merge-schema", "boolean", False, doc="Add columns that the table lacks; write NULL to others."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        _location(table, settings)
        _start(table, settings)
        if settings["monitor-interval"] <= 0:
            raise ValidationError(f"{table}: the value of 'monitor-interval' must be positive")
        if settings["write.upsert.enabled"] and not table.primary_key:
            raise ValidationError(f"{table}: 'write.upsert.enabled' needs a PRIMARY KEY")
        if settings["write.partition-by"] and table.partition_keys:
            raise ValidationError(f"{table}: either PARTITIONED BY or 'write.partition-by' may be set")

    def source(self, table: TableInfo, settings: Settings, **reading: Any) -> IcebergSource:
        return IcebergSource(
            _location(table, settings),
            start=_start(table, settings),
            interval_ms=settings["monitor-interval"] if settings["streaming"] else None,
            skip_deletes=settings["streaming-skip-delete-snapshots"],
            skip_overwrites=settings["streaming-skip-overwrite-snapshots"],
            **reading,
        )

    def table_sink(self, table: TableInfo, settings: Settings, updates: bool, **writing: Any) -> IcebergSink:
        if updates and table.overwrite:
            raise UnsupportedOperation("INSERT OVERWRITE takes no query that updates its rows")
        return IcebergSink(
            _location(table, settings),
            partition_by=table.partition_keys or settings["write.partition-by"],
            merge_schema=settings["sink.merge-schema"],
            key=table.primary_key if updates or settings["write.upsert.enabled"] else (),
            kinds=updates,
            overwrite=table.overwrite,
            create=True,
            properties=tuple(sorted(settings.below("table.").items())),
            identifiers=table.primary_key,
            **writing,
        )


def _location(table: TableInfo, settings: Settings) -> IcebergLocation:
    database = settings["catalog-database"] or table.path[-2]
    name = settings["catalog-table"] or table.path[-1]
    catalog = settings["catalog-name"]
    given = {option: settings[option] for option in _CATALOG if settings[option] is not None}
    with naming(table):
        properties = catalog_properties(catalog, given)
    return IcebergLocation.of(
        catalog,
        f"{database}.{name}",
        {**settings.below("catalog."), **properties},
        settings["branch"],
    )


def _start(table: TableInfo, settings: Settings) -> IcebergStart:
    strategy = settings["starting-strategy"]
    start = IcebergStart(
        settings["snapshot-id"],
        settings["as-of-timestamp"],
        settings["tag"],
        None if strategy is None else strategy.upper(),
        settings["start-snapshot-id"],
        settings["start-snapshot-timestamp"],
    )
    start.check(not settings["streaming"], str(table))
    return start
