"""Files as a source: PyFlink's FileSource."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from datastream.errors import ValidationError
from datastream.formats.dead_letters import dead_letters_in
from datastream.io import Batch, EnumeratorContext, Produced, ReaderContext, Source, SourceReader, SplitEnumerator

from .enumerator import FileEnumerator
from .formats import FileFormat
from .listing import check_paths, local_path
from .parts import FilePart
from .remote.enumerator import RemoteFileEnumerator
from .remote.file_systems import file_system
from .remote.location import is_remote, parse_location
from .remote.patterns import check_location, find_below

if TYPE_CHECKING:
    from .builder import FileSourceBuilder


class FileSource(Source):
    """Reads the records of files: a fixed set of them, or those that appear in watched folders.

    A path is a file, a folder (with all below it, save what starts with ``.`` or ``_``) or a glob pattern.
    Text with the suffix gz, bz2, xz, zst or deflate is decompressed, a file at a time. Paths may be URIs of S3, HDFS,
    web servers and other file systems; `RemoteFileEnumerator` describes their offset.

    The offset of local files is ``{"files": [[path, bytes], ...], "at": [file, byte]}``: the files in the order they
    are read, as listed at the job's start or when discovered, and how far reading has come. So a replayed epoch
    reads the same bytes whatever has appeared since. It takes about 100 bytes a file. A file must not change
    once it is listed: write it elsewhere and move it into a watched folder. Bytes appended to a file are not
    read. A watched file is read once; a file that takes the name of an old one is not read.
    """

    def __init__(
        self,
        file_format: FileFormat,
        paths: tuple[str, ...],
        interval_ms: int | None = None,
        splittable: bool = True,
    ) -> None:
        """Use `for_record_stream_format` or `for_bulk_file_format` and the builder they give.

        Args:
            file_format: How bytes become records.
            paths: Files, folders and patterns.
            interval_ms: Look for new files at most once in this number of ms; None: the files are a fixed set.
            splittable: Whether several tasks may share a file. Default: where the format allows it.

        Raises:
            ValidationError: if there is no path, or some are remote and some are not.
        """
        if not paths:
            raise ValidationError("FileSource: give at least one path")
        self._format = file_format
        remote = [is_remote(path) for path in paths]
        if any(remote) and not all(remote):
            raise ValidationError(
                "FileSource: the paths are partly on this machine and partly remote; use a source for each, and union"
            )
        self._locations = tuple(parse_location(os.fspath(path)) for path in paths) if any(remote) else ()
        self._paths = () if any(remote) else tuple(local_path(path) for path in paths)
        self._interval_ms = interval_ms
        self._splittable = splittable and file_format.splittable
        self.bounded = interval_ms is None
        self.grows = not (self.bounded and self._locations)

    @staticmethod
    def for_record_stream_format(stream_format: FileFormat, *paths: str) -> FileSourceBuilder:
        """A source of files in a format such as `StreamFormat.text_line_format`."""
        from .builder import FileSourceBuilder

        return FileSourceBuilder(stream_format, paths)

    @staticmethod
    def for_bulk_file_format(bulk_format: FileFormat, *paths: str) -> FileSourceBuilder:
        """A source of files in a format that is read a file at a time."""
        from .builder import FileSourceBuilder

        return FileSourceBuilder(bulk_format, paths)

    @property
    def produced(self) -> Produced:
        form = self._format
        return Produced(form.produced_type, form.exact, form.side_tags)

    def validate(self) -> None:
        check_paths(self._paths)
        for location in self._locations:
            if self.bounded or not file_system(location).listable:
                check_location(location)
            else:  # what is watched may still be empty
                next(find_below(location), None)

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        if self._locations:
            return RemoteFileEnumerator(self._locations, self._interval_ms, self._splittable, context.spool)
        return FileEnumerator(self._paths, self._interval_ms, self._splittable)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _FileReader(self._format, context)


class _FileReader(SourceReader):
    def __init__(self, file_format: FileFormat, context: ReaderContext) -> None:
        self._format = file_format
        self._bytes = context.metrics.counter("numBytesIn")
        self._dead = context.metrics.counter("numRecordsInErrors") if file_format.side_tags else None

    def read(self, split: list[FilePart]) -> Iterator[Batch]:
        for part in split:
            self._bytes.inc(part.end - part.start)
            for records in self._format.read(part):
                if self._dead is not None:
                    self._dead.inc(dead_letters_in(records))
                yield Batch(records)
