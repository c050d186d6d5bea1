"""The connector ``filesystem``: folders of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from datastream.connectors.files import (
    BucketAssigner,
    BulkFormatBuilder,
    FileFormat,
    FileSink,
    FileSource,
    Overwrite,
    RollingPolicy,
    RowFormatBuilder,
    StreamFormat,
)
from datastream.errors import UnsupportedOperation, ValidationError
from datastream.table.plan.errors import nearest
from datastream.table.types.logical_types import BigIntType, DataType, LocalZonedTimestampType, VarCharType
from datastream.time import Duration

from .connector import SINK_PARALLELISM, Option, Settings, TableConnector, TableInfo, check_written, no_updates
from .files_reading import CsvFiles, PlacedFiles
from .files_writing import PartitionFolders, TableBulk, TableLines, picker
from .formats.bulk import BULK_OPTIONS, bulk_reader, bulk_writer
from .formats.format import Layout
from .formats.registry import find_format, format_options, format_settings, line_formats
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

_MB = 1 << 20
_TEXT = VarCharType(2**31 - 1, False)


class FilesystemConnector(TableConnector):
    """See the module. Partition columns are folders ``name=value``, and are not in the files.

    Reading ends with the files that are there, unless ``source.monitor-interval`` is set. Writing is exactly once: a
    part file is visible once the rolling policy finishes it and its epoch is committed. INSERT OVERWRITE replaces, at
    the end of the job, all files of the table, or those of the partitions that get rows.
    """

    name = "filesystem"
    overwrites = True
    options = (
        Option("path", required=True, doc="The folder, or a file to read."),
        Option("format", required=True, doc="Of the files."),
        Option("partition.default-name", default="__DEFAULT_PARTITION__", doc="Folder of NULL."),
        Option("source.monitor-interval", "duration", doc="How often to look for new files. Default: once."),
        Option("sink.rolling-policy.file-size", "memory", 128 * _MB, doc="Finish a part file of this size."),
        Option("sink.rolling-policy.rollover-interval", "duration", 30 * 60_000, doc="Finish it at this age."),
        Option("sink.rolling-policy.inactivity-interval", "duration", 30 * 60_000, doc="Finish it if idle so long."),
        Option("sink.rolling-policy.check-interval", "duration", 60_000, doc="Has no effect: each commit checks."),
        Option("auto-compaction", "boolean", False, doc="Not supported; use the rolling policy."),
        SINK_PARALLELISM,
    )
    metadata: ClassVar[Mapping[str, DataType]] = {
        "file.path": _TEXT,
        "file.name": _TEXT,
        "file.size": BigIntType(False),
        "file.modification-time": LocalZonedTimestampType(3, False),
    }

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        name = table.options.get("format")
        if name is None:
            return (*super().options_of(table), *self.format_options_of_all())
        if name in BULK_OPTIONS:
            inner = [
                Option(f"{name}.{each.name}", each.kind, each.default, doc=each.doc) for each in BULK_OPTIONS[name]
            ]
            return (*super().options_of(table), *inner)
        if name not in line_formats():
            there = sorted([*line_formats(), *BULK_OPTIONS])
            near = nearest(name, there)
            hint = "." if near is None else f", did you mean '{near}'?"
            raise ValidationError(f"{table}: there is no format '{name}'{hint} The formats are: {', '.join(there)}")
        return (*super().options_of(table), *format_options("", find_format(name, str(table))))

    def format_options_of_all(self) -> tuple[Option, ...]:
        """The options of all formats of lines."""
        return tuple(option for name in line_formats() for option in format_options("", find_format(name, "")))

    def check(self, table: TableInfo) -> None:
        settings = self.settings(table)
        if settings["auto-compaction"]:
            raise UnsupportedOperation(
                f"{table}: 'auto-compaction' is not supported: part files are put together over epochs; set "
                "'sink.rolling-policy.file-size' and 'sink.rolling-policy.rollover-interval' for larger ones"
            )
        for key in table.partition_keys:
            if key not in {column.name for column in table.columns}:
                raise ValidationError(f"{table}: the partition column '{key}' is no column of the table")

    # -- reading ----------------------------------------------------------------------------------

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        self.check(table)
        settings = self.settings(table)
        layout = _layout(table, settings)
        stored = [name for name in wanted if name in layout.names]
        inner = self._reader(settings, layout, stored)
        if len(stored) < len(wanted):
            columns: list[int | str] = []
            for name in wanted:
                if name in layout.names:
                    columns.append(stored.index(name))
                else:
                    columns.append(name if name in table.partition_keys else self._key(table, name))
            kinds = {name: table.type_of(name) for name in table.partition_keys if name in wanted}
            inner = PlacedFiles(inner, columns, kinds, settings["partition.default-name"])
        builder = FileSource.for_record_stream_format(inner, settings["path"])
        if settings["source.monitor-interval"] is not None:
            builder.monitor_continuously(Duration.of_millis(settings["source.monitor-interval"]))
        return scanned(env, builder.build(), self, table, wanted, None)

    def _key(self, table: TableInfo, name: str) -> str:
        key = table.metadata[name]
        self.metadata_type(key, table)
        return key

    def _reader(self, settings: Settings, layout: Layout, wanted: Sequence[str]) -> FileFormat:
        name = settings["format"]
        if name in BULK_OPTIONS:
            return bulk_reader(name, layout, wanted, _bulk_settings(settings, name))
        form = find_format(name, layout.of)
        options = format_settings("", form, settings)
        decoder = form.decoder(layout, wanted, options)
        if name == "csv":
            from .formats.csv_reading import CsvDecoder

            assert isinstance(decoder, CsvDecoder)
            return CsvFiles(decoder, decoder.dialect)
        return StreamFormat.lines(decoder.schema)

    # -- writing ----------------------------------------------------------------------------------

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        if updates:
            raise no_updates(self.name, table)
        self.check(table)
        check_written(self, table)
        settings = self.settings(table)
        layout = _layout(table, settings)
        names = [column.name for column in table.columns]
        pick = picker([names.index(each) for each in layout.names], len(names) + len(table.persisted))
        sink = self._builder(settings, layout, pick)
        sink.with_bucket_assigner(_folders(table, settings))
        if table.overwrite:
            sink.with_overwrite(Overwrite.BUCKETS if table.partition_keys else Overwrite.ALL)
        written = stream.sink_to(sink.build()).name(name)
        if settings["sink.parallelism"] is not None:
            written.set_parallelism(settings["sink.parallelism"])
        return written

    def _builder(self, settings: Settings, layout: Layout, pick: Any) -> BulkFormatBuilder | RowFormatBuilder:
        name = settings["format"]
        if name in BULK_OPTIONS:
            factory, convert = bulk_writer(name, layout, _bulk_settings(settings, name))
            return FileSink.for_bulk_format(settings["path"], TableBulk(factory, pick, convert))
        form = find_format(name, layout.of)
        encoder = form.encoder(layout, format_settings("", form, settings))
        lines = FileSink.for_row_format(settings["path"], TableLines(encoder, pick, name == "csv"))
        policy = RollingPolicy.default_rolling_policy(
            settings["sink.rolling-policy.file-size"],
            settings["sink.rolling-policy.rollover-interval"],
            settings["sink.rolling-policy.inactivity-interval"],
        )
        return lines.with_rolling_policy(policy)


def _layout(table: TableInfo, settings: Settings) -> Layout:
    columns = tuple(column for column in table.columns if column.name not in table.partition_keys)
    return Layout(columns, f"{table}, format {settings['format']}")


def _folders(table: TableInfo, settings: Settings) -> BucketAssigner:
    if not table.partition_keys:
        return BucketAssigner.base_path_bucket_assigner()
    names = [column.name for column in table.columns]
    columns = [(key, names.index(key), table.type_of(key)) for key in table.partition_keys]
    return PartitionFolders(columns, settings["partition.default-name"])


def _bulk_settings(settings: Settings, name: str) -> dict[str, Any]:
    given = settings.below(f"{name}.")
    for option in BULK_OPTIONS[name]:
        if "*" not in option.name:
            given.setdefault(option.name, option.default)
    return given
