"""The connector ``delta``: tables of Delta Lake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.delta import DeltaSink, DeltaSource
from datastream.connectors.delta.location import DeltaLocation
from datastream.connectors.delta.start import LATEST, DeltaStart
from datastream.errors import FormatError, UnsupportedOperation, ValidationError, cut
from datastream.io import Predicate
from datastream.table.codegen.inside_types import inside_row
from datastream.table.types.logical_types import is_nullable
from datastream.table.types.row_type import RowField, RowType

from .connector import SINK_PARALLELISM, SOURCE_PARALLELISM, KeyedConnector, Option, Settings, TableInfo
from .formats.bulk import ToRows, leaves_out, python_values
from .formats.engine_rows import TuplesOf
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink


class DeltaConnector(KeyedConnector):
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
        Option("sink.merge-schema", "boolean", False, doc="Add columns that the table lacks; write NULL to others."),
        SINK_PARALLELISM,
    )

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        _location(table, settings)
        _start(table, settings)
        if settings["updateCheckIntervalMillis"] <= 0:
            raise ValidationError(f"{table}: the value of 'updateCheckIntervalMillis' must be positive")
        _kind(table, [column.name for column in table.columns])

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        if table.metadata:
            raise ValidationError(f"{table}: the connector 'delta' has no metadata")
        settings = self.settings(table)
        names = list(wanted) or [table.columns[0].name]
        kind = _kind(table, names)
        source = DeltaSource(
            _location(table, settings),
            kind.to_type_info(),
            _start(table, settings),
            settings["updateCheckIntervalMillis"] if settings["mode"] == "streaming" else None,
            bool(wanted),
            TuplesOf(kind),
            inside_row([table.type_of(name) for name in wanted]),
            tuple(python_values(each, table.type_of(each.column)) for each in table.predicates),
            settings["ignoreDeletes"],
            settings["ignoreChanges"],
        )
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        return leaves_out("parquet", table.type_of(predicate.column))

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        if updates and table.overwrite:
            raise UnsupportedOperation(f"{table}: INSERT OVERWRITE takes no query that updates its rows")
        settings = self.settings(table)
        kind = _kind(table, [column.name for column in table.columns])
        required = tuple(column.name for column in table.columns if not is_nullable(column.type))
        try:
            sink = DeltaSink(
                _location(table, settings),
                kind.to_type_info(),
                table.partition_keys,
                settings["sink.merge-schema"],
                table.primary_key,
                updates,
                table.overwrite,
                required,
                ToRows(kind),
            )
        except (FormatError, ValidationError) as error:
            raise type(error)(f"{table}: {error}") from None
        return self.written(stream, sink, settings, name)


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


def _kind(table: TableInfo, names: Sequence[str]) -> RowType:
    return RowType([RowField(name, table.type_of(name)) for name in names])
