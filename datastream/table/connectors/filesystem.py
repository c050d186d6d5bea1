"""The connector ``filesystem``: folders of files."""

from __future__ import annotations

import re
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
from datastream.io import Predicate
from datastream.table.functions.patterns import java_regex
from datastream.table.plan.errors import missing_name
from datastream.table.types.logical_types import BigIntType, DataType, LocalZonedTimestampType, VarCharType
from datastream.time import Duration
from datastream.types import Types

from . import partition_commits
from .connector import SINK_PARALLELISM, Option, Settings, TableConnector, TableInfo
from .files_reading import ChangeLines, CsvFiles, PlacedFiles
from .files_writing import PartitionFolders, TableBulk, TableLines
from .formats.bulk import BULK_OPTIONS, bulk_reader, bulk_writer, leaves_out
from .formats.changes import CHANGES, ChangeDecoder, ChangeFormat
from .formats.format import Layout
from .formats.registry import find_format, format_options, format_settings, line_formats
from .picked_columns import picker
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

    Conditions on partition columns leave out files; those on columns of Parquet leave out row groups, by statistics.
    """

    name = "filesystem"
    updates = CHANGES
    overwrites = True
    options = (
        Option("path", required=True, doc="The folder, or a file to read."),
        Option("format", required=True, doc="Of the files."),
        Option("partition.default-name", default="__DEFAULT_PARTITION__", doc="Folder of NULL."),
        Option("source.monitor-interval", "duration", doc="How often to look for new files. Default: once."),
        Option("source.path.regex-pattern", doc="Read only files whose whole path, from `/` on, fits it."),
        Option("source.report-statistics", default="ALL", choices=("all", "none"), doc="Has no effect."),
        Option("sink.rolling-policy.file-size", "memory", 128 * _MB, doc="Finish a part file of this size."),
        Option("sink.rolling-policy.rollover-interval", "duration", 30 * 60_000, doc="Finish it at this age."),
        Option("sink.rolling-policy.inactivity-interval", "duration", 30 * 60_000, doc="Finish it if idle so long."),
        Option("sink.rolling-policy.check-interval", "duration", 60_000, doc="Has no effect: each commit checks."),
        *partition_commits.OPTIONS,
        Option("sink.shuffle-by-partition.enable", "boolean", False, doc="Let one task write each partition."),
        Option("auto-compaction", "boolean", False, doc="Not supported; use the rolling policy."),
        Option("compaction.file-size", "memory", doc="Has no effect without `auto-compaction`."),
        Option("compaction.parallelism", "integer", doc="Has no effect without `auto-compaction`."),
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
            raise ValidationError(f"{table}: {missing_name('format', name, there)}")
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
        partition_commits.partition_commits(table, settings)

    # -- reading ----------------------------------------------------------------------------------

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        layout = _layout(table, settings)
        stored = [name for name in wanted if name in layout.names]
        of_folders = [each for each in table.predicates if each.column in table.partition_keys]
        inner = self._reader(settings, layout, stored, [each for each in table.predicates if each not in of_folders])
        pattern = _pattern(table, settings)
        if len(stored) < len(wanted) or of_folders or pattern is not None:
            columns: list[int | str] = []
            for name in wanted:
                if name in layout.names:
                    columns.append(stored.index(name))
                else:
                    columns.append(name if name in table.partition_keys else self._key(table, name))
            if self.has_changes(table):
                columns = [0, *(each if isinstance(each, str) else each + 1 for each in columns)]
            read = {*wanted, *(each.column for each in of_folders)}
            kinds = {name: table.type_of(name) for name in table.partition_keys if name in read}
            inner = PlacedFiles(inner, columns, kinds, settings["partition.default-name"], of_folders, pattern)
        builder = FileSource.for_record_stream_format(inner, settings["path"])
        if settings["source.monitor-interval"] is not None:
            builder.monitor_continuously(Duration.of_millis(settings["source.monitor-interval"]))
        return scanned(env, builder.build(), self, table, wanted, None, self.has_changes(table))

    def has_changes(self, table: TableInfo) -> bool:
        return _change_format(table) is not None

    def takes_updates(self, table: TableInfo) -> bool:
        return _change_format(table) is not None

    def takes(self, table: TableInfo, predicate: Predicate) -> bool:
        column = predicate.column
        return column in table.partition_keys or leaves_out(table.options["format"], table.type_of(column))

    def skips(self, table: TableInfo, kind: DataType) -> bool:
        settings = self.settings(table)
        if settings["format"] in BULK_OPTIONS:
            return False
        form = find_format(settings["format"], str(table))
        return form.skips(kind, format_settings("", form, settings))

    def _key(self, table: TableInfo, name: str) -> str:
        key = table.metadata[name]
        self.metadata_type(key, table)
        return key

    def _reader(
        self, settings: Settings, layout: Layout, wanted: Sequence[str], predicates: Sequence[Predicate]
    ) -> FileFormat:
        name = settings["format"]
        if name in BULK_OPTIONS:
            return bulk_reader(name, layout, wanted, _bulk_settings(settings, name), predicates)
        form = find_format(name, layout.of)
        options = format_settings("", form, settings)
        decoder = form.decoder(layout, wanted, options)
        if name == "csv":
            from .formats.csv_reading import CsvDecoder

            assert isinstance(decoder, CsvDecoder)
            return CsvFiles(decoder, decoder.dialect)
        return ChangeLines(decoder) if isinstance(decoder, ChangeDecoder) else StreamFormat.lines(decoder.schema)

    # -- writing ----------------------------------------------------------------------------------

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        changes = _change_format(table)
        settings = self.settings(table)
        layout = _layout(table, settings)
        names = [column.name for column in table.columns]
        indexes = [names.index(each) for each in layout.names]
        if updates:
            indexes = [0, *(index + 1 for index in indexes)]
        pick = picker(indexes, len(names) + len(table.persisted) + updates)
        sink = self._builder(settings, layout, pick, changes if updates else None)
        sink.with_bucket_assigner(_folders(table, settings, updates))
        if table.overwrite:
            sink.with_overwrite(Overwrite.BUCKETS if table.partition_keys else Overwrite.ALL)
        commits = partition_commits.partition_commits(table, settings)
        if commits is not None and (table.partition_keys or table.batch):
            sink.with_bucket_commits(commits)
        if settings["sink.shuffle-by-partition.enable"] and table.partition_keys:
            stream = stream.key_by(_FolderOf(_folders(table, settings, updates)), Types.STRING())
        return self.written(stream, sink.build(), settings, name)

    def _builder(
        self, settings: Settings, layout: Layout, pick: Any, changes: ChangeFormat | None
    ) -> BulkFormatBuilder | RowFormatBuilder:
        name = settings["format"]
        if name in BULK_OPTIONS:
            factory, convert = bulk_writer(name, layout, _bulk_settings(settings, name))
            return FileSink.for_bulk_format(settings["path"], TableBulk(factory, pick, convert))
        form = find_format(name, layout.of)
        options = format_settings("", form, settings)
        encoder = form.encoder(layout, options) if changes is None else changes.change_encoder(layout, options)
        lines = FileSink.for_row_format(settings["path"], TableLines(encoder, pick, name == "csv"))
        policy = RollingPolicy.default_rolling_policy(
            settings["sink.rolling-policy.file-size"],
            settings["sink.rolling-policy.rollover-interval"],
            settings["sink.rolling-policy.inactivity-interval"],
        )
        return lines.with_rolling_policy(policy)


class _FolderOf:
    """The folder of a row: those of one folder go to one task."""

    def __init__(self, folders: BucketAssigner) -> None:
        self._folders = folders

    def __call__(self, row: Any) -> str:
        return self._folders.get_bucket_id(row, 0)


def _pattern(table: TableInfo, settings: Settings) -> re.Pattern[str] | None:
    text = settings["source.path.regex-pattern"]
    try:
        return None if text is None else java_regex(text)
    except ValidationError as error:
        raise ValidationError(f"{table}: option 'source.path.regex-pattern': {error}") from None


def _layout(table: TableInfo, settings: Settings) -> Layout:
    columns = tuple(column for column in table.columns if column.name not in table.partition_keys)
    return Layout(columns, f"{table}, format {settings['format']}", fields=table.fields)


def _change_format(table: TableInfo) -> ChangeFormat | None:
    name = table.options.get("format")
    if name is None or name in BULK_OPTIONS:
        return None
    form = find_format(name, str(table))
    return form if isinstance(form, ChangeFormat) else None


def _folders(table: TableInfo, settings: Settings, updates: bool) -> BucketAssigner:
    if not table.partition_keys:
        return BucketAssigner.base_path_bucket_assigner()
    names = [column.name for column in table.columns]
    columns = [(key, names.index(key) + updates, table.type_of(key)) for key in table.partition_keys]
    return PartitionFolders(columns, settings["partition.default-name"])


def _bulk_settings(settings: Settings, name: str) -> dict[str, Any]:
    given = settings.below(f"{name}.")
    for option in BULK_OPTIONS[name]:
        if "*" not in option.name:
            given.setdefault(option.name, option.default)
    return given
