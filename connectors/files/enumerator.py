"""Which parts of which files an epoch holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from datastream.io import SplitEnumerator

from .listing import find_files
from .parts import FilePart, is_compressed

LINE_BYTES = 100
"""Bytes a record is taken to have at least, to turn a budget of records into one of bytes."""

MOST_LINE_BYTES = 1000
"""Bytes a line is taken to have at most, so that an epoch of long ones is no more than memory holds."""

_SAMPLE = 64 * 1024

MIN_SPLIT = 64 * 1024
"""Less than this is not worth a task of its own."""

MAX_SPLIT = 64 * 1024 * 1024
"""A split larger than this is cut where the format allows it."""


class FileEnumerator(SplitEnumerator):
    """Lists files and cuts them; see `FileSource` for the offset.

    Args:
        paths: Local files, folders and patterns.
        interval_ms: Look for new files at most once in this number of ms; None: the files are a fixed set.
        splittable: Whether several tasks may share a file.
    """

    repeatable = True

    def __init__(self, paths: tuple[str, ...], interval_ms: int | None, splittable: bool) -> None:
        self._paths = paths
        self._interval_ms = interval_ms
        self._splittable = splittable
        self._listed_at: float | None = None
        self._line_bytes: int | None = None

    def initial_offset(self) -> dict[str, Any]:
        return {"files": None, "at": [0, 0]}

    def reopen(self, offset: dict[str, Any]) -> dict[str, Any]:
        """With the files of a fixed set that have appeared since it was listed."""
        files: list[list[Any]] | None = offset["files"]
        if self._interval_ms is not None or files is None:
            return offset
        return {**offset, "files": self._with_new(files)}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        files: list[list[Any]] | None = start["files"]
        if files is None or self._look_again():
            files = self._with_new(files or [])
        index, position = start["at"]
        left = max(budget, 1) * self._bytes_of_a_line(files)
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

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[list[FilePart]]:
        parts = list(_between(end["files"] or [], start["at"], end["at"]))
        return cut_parts(parts, parallelism, self._can_cut)

    def finished(self, offset: dict[str, Any]) -> bool:
        files = offset["files"]
        return self._interval_ms is None and files is not None and offset["at"][0] >= len(files)

    def _bytes_of_a_line(self, files: list[list[Any]]) -> int:
        """About how many bytes a line has, by the beginning of the first file."""
        if self._line_bytes is None and files:
            path, _ = files[0]
            self._line_bytes = LINE_BYTES if is_compressed(path) else line_bytes(path)
        return self._line_bytes or LINE_BYTES

    def _can_cut(self, path: str) -> bool:
        return self._splittable and not is_compressed(path)

    def _look_again(self) -> bool:
        if self._interval_ms is None:
            return False
        return self._listed_at is None or (time.monotonic() - self._listed_at) * 1000 >= self._interval_ms

    def _with_new(self, files: list[list[Any]]) -> list[list[Any]]:
        self._listed_at = time.monotonic()
        found = find_files(self._paths)
        if files or self._interval_ms is not None:
            known = {path for path, _ in files}
            found = [file for file in found if file.path not in known]
            found.sort(key=lambda file: (file.modified_ns, os.path.basename(file.path), file.path))
        return files + [[file.path, file.size] for file in found if file.size or not (files or self._interval_ms)]


def line_bytes(path: str) -> int:
    """About how many bytes a line of a file has, from `LINE_BYTES`, also if it is no text, to `MOST_LINE_BYTES`."""
    try:
        with open(path, "rb") as file:
            sample = file.read(_SAMPLE)
    except OSError:  # reading its records will say so
        return LINE_BYTES
    if b"\0" in sample:
        return LINE_BYTES
    return min(max(len(sample) // (sample.count(b"\n") or 1), LINE_BYTES), MOST_LINE_BYTES)


def cut_parts(parts: list[FilePart], parallelism: int, can_cut: Callable[[str], bool]) -> list[list[FilePart]]:
    """Deal parts out to at most about `parallelism` splits of the same bytes, cutting files where they may be cut."""
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
            if can_cut(part.path):
                stop = min(stop, position + room)
            splits[-1].append(replace(part, start=position, end=stop))
            room -= stop - position
            position = stop
            if position >= part.end:
                break
    return splits


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
