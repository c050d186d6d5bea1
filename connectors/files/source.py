"""Files as a source: PyFlink's FileSource."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.functions import OutputTag
from datastream.io import Source
from datastream.types import TypeInformation

from .formats import FileFormat
from .listing import check_paths, find_files, local_path
from .parts import FilePart, is_compressed

if TYPE_CHECKING:
    from .builder import FileSourceBuilder

LINE_BYTES = 100
"""Bytes a record is taken to have, to turn a budget of records into one of bytes."""

MIN_SPLIT = 64 * 1024
"""Less than this is not worth a task of its own."""

MAX_SPLIT = 64 * 1024 * 1024
"""A split larger than this is cut where the format allows it."""


class FileSource(Source):
    """Reads the records of files: a fixed set of them, or those that appear in watched folders.

    A path is a file, a folder (with all below it, save what starts with ``.`` or ``_``) or a glob pattern.
    Text with the suffix gz, bz2 or xz is decompressed, a file at a time.

    The offset is ``{"files": [[path, bytes], ...], "at": [file, byte]}``: the files in the order they are
    read, as listed at the job's start or when discovered, and how far reading has come. So a replayed epoch
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
            interval_ms: Look for new files at most every so many ms; None: the files are a fixed set.
            splittable: Whether several tasks may share a file. Default: where the format allows it.

        Raises:
            ValidationError: if there is no path, or one is on a remote file system.
        """
        if not paths:
            raise ValidationError("FileSource: give at least one path")
        self._format = file_format
        self._paths = tuple(local_path(path) for path in paths)
        self._interval_ms = interval_ms
        self._splittable = splittable and file_format.splittable
        self._listed_at: float | None = None
        self.bounded = interval_ms is None

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
    def produced_type(self) -> TypeInformation | None:
        return self._format.produced_type

    @property
    def exact(self) -> bool:
        return self._format.exact

    @property
    def side_tags(self) -> tuple[OutputTag, ...]:
        return self._format.side_tags

    def validate(self) -> None:
        check_paths(self._paths)

    def initial_offset(self) -> dict[str, Any]:
        return {"files": None, "at": [0, 0]}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        files: list[list[Any]] | None = start["files"]
        if files is None or self._look_again():
            files = self._with_new(files or [])
        index, position = start["at"]
        left = max(budget, 1) * LINE_BYTES
        while index < len(files) and left > 0:
            path, size = files[index]
            rest = size - position
            if rest > left and self._can_cut(path):
                position += left
                break
            index, position, left = index + 1, 0, left - rest
        if files == start["files"] and [index, position] == start["at"]:
            return start
        if self._interval_ms is not None and not files:
            return start  # a watched folder, still empty
        return {"files": files, "at": [index, position]}

    def plan(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[list[FilePart]]:
        parts = list(_between(end["files"] or [], start["at"], end["at"]))
        total = sum(part.end - part.start for part in parts)
        target = min(max(-(-total // max(parallelism, 1)), MIN_SPLIT), MAX_SPLIT)
        splits: list[list[FilePart]] = []
        room = 0
        for part in parts:
            position = part.start
            while True:
                if room <= 0:
                    splits.append([])
                    room = target
                stop = part.end
                if self._can_cut(part.path):
                    stop = min(stop, position + room)
                splits[-1].append(FilePart(part.path, position, stop, part.size))
                room -= stop - position
                position = stop
                if position >= part.end:
                    break
        return splits

    def read(self, split: list[FilePart]) -> Iterator[list[Any]]:
        for part in split:
            yield from self._format.read(part)

    def finished(self, offset: dict[str, Any]) -> bool:
        files = offset["files"]
        return self.bounded and files is not None and offset["at"][0] >= len(files)

    def _can_cut(self, path: str) -> bool:
        return self._splittable and not is_compressed(path)

    def _look_again(self) -> bool:
        if self._interval_ms is None:
            return False
        return self._listed_at is None or (time.monotonic() - self._listed_at) * 1000 >= self._interval_ms

    def _with_new(self, files: list[list[Any]]) -> list[list[Any]]:
        self._listed_at = time.monotonic()
        found = find_files(self._paths)
        if self._interval_ms is not None:
            known = {path for path, _ in files}
            found = [file for file in found if file.path not in known]
            found.sort(key=lambda file: (file.modified_ns, os.path.basename(file.path), file.path))
        return files + [[file.path, file.size] for file in found if file.size or self.bounded]


def _between(files: list[list[Any]], start: list[int], end: list[int]) -> Iterator[FilePart]:
    (index, position), (last, stop) = start, end
    for number in range(index, last):
        path, size = files[number]
        if position < size:
            yield FilePart(path, position, size, size)
        position = 0
    if position < stop:
        path, size = files[last]
        yield FilePart(path, position, stop, size)
