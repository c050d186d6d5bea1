"""Which parts of which remote files an epoch holds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import Any

from datastream.connectors.files.enumerator import LINE_BYTES, cut_parts
from datastream.connectors.files.listing import FoundFile
from datastream.connectors.files.parts import FilePart, is_compressed
from datastream.io import SplitEnumerator, Spool

from .location import Location
from .patterns import find_below, means
from .seen_files import SeenFiles

MOST_FILES = 2_000
"""Files of an epoch at most."""

SECONDS = 0.5
"""How long a call looks for files at most, about."""


class Listed(Enum):
    """How far a listing has come when it returns no file."""

    SOME = "some"
    ALL = "all"


class RemoteFileEnumerator(SplitEnumerator):
    """Lists files as they are needed, in the order of their names, and cuts them.

    The offset names the files of the epoch that ends there, and no others, so it stays small however many there are::

        {"files": [[uri, bytes], ...], "from": byte, "to": byte,    the epoch: from a byte of its first file
                                                                    to one of its last
         "count": files begun, "after": [path, uri],                fixed set: how far the listing has come
         "end": whether the listing has ended, "seen": text}        watched: see `SeenFiles`

    A replayed epoch takes the files from its offset, whatever has appeared or vanished since. A file of a fixed set
    that appears after the place where the listing is will be read, one before it will not.

    Args:
        locations: Files, folders and patterns.
        interval_ms: Look for new files at most once in this number of ms; None: the files are a fixed set.
        splittable: Whether several tasks may share a file.
        spool: The source's notes.
    """

    repeatable = True

    def __init__(
        self, locations: tuple[Location, ...], interval_ms: int | None, splittable: bool, spool: Spool
    ) -> None:
        self._locations = locations
        self._access = {location.root: location.access for location in locations}
        self._interval_ms = interval_ms
        self._splittable = splittable
        self._seen = SeenFiles(spool) if interval_ms is not None else None
        self._ahead: deque[tuple[int, FoundFile]] = deque()
        self._listing: Iterator[tuple[int, FoundFile] | Listed] | None = None
        self._listed_at: float | None = None
        self._place: tuple[int, int] | None = None
        self._ends: dict[tuple[int, int], int] = {}
        self._seen_text = ""

    def initial_offset(self) -> dict[str, Any]:
        return {"files": [], "from": 0, "to": 0, "count": 0, "after": [0, ""], "end": False, "seen": ""}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        self._move_to(start)
        limit = time.monotonic() + SECONDS
        files: list[list[Any]] = []
        left = max(budget, 1) * LINE_BYTES
        after: list[Any] = start["after"]
        count = start["count"]
        begin = position = taken = 0
        rest = _rest(start)
        if rest is not None:  # a file that the epoch before has begun
            begin = start["to"]
            files.append(list(rest))
            position, left = self._read_on(*rest, begin, left)
        found = None
        while left > 0 and len(files) < MOST_FILES:
            found = self._found(taken, after, limit)
            if not isinstance(found, tuple):
                break
            index, file = found
            taken += 1
            after, count = [index, file.path], count + 1
            files.append([file.path, file.size])
            position, left = self._read_on(file.path, file.size, 0, left)
        ended = start["end"] or (self._seen is None and self._found(taken, after, limit) is Listed.ALL)
        if not files and ended == start["end"]:
            return start
        end = {"files": files, "from": begin, "to": position, "count": count}
        end |= {"after": after if self._seen is None else [0, ""], "end": ended, "seen": self._seen_text}
        self._ends[count, position] = taken
        return end

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[list[FilePart]]:
        parts = []
        last = len(end["files"]) - 1
        for number, (path, size) in enumerate(end["files"]):
            first = end["from"] if number == 0 else 0
            stop = end["to"] if number == last else size
            if first < stop:
                access = self._access.get(Location(path).root, "")
                parts.append(FilePart(path, first, stop, size, access))
        return cut_parts(parts, parallelism, self._can_cut)

    def finished(self, offset: dict[str, Any]) -> bool:
        return bool(offset["end"]) and _rest(offset) is None

    def _read_on(self, path: str, size: int, position: int, left: int) -> tuple[int, int]:
        """How far a file is read, and what is left of the budget."""
        rest = size - position
        if rest > left and self._can_cut(path):
            return position + left, 0
        return size, left - rest

    def _can_cut(self, path: str) -> bool:
        return self._splittable and not is_compressed(path)

    def _move_to(self, start: dict[str, Any]) -> None:
        """Get ready to list what follows an offset, which is logged."""
        place = (start["count"], start["to"])
        if place == self._place:
            return
        if self._seen is not None:
            begun = _begun(start)
            self._seen.load(start["count"] - len(begun), start["seen"])
            self._seen_text = self._seen.add(begun)
        if place in self._ends:
            for _ in range(self._ends[place]):
                self._ahead.popleft()
        else:
            self._ahead.clear()
            self._listing = None
        self._place = place
        self._ends = {}

    def _found(self, index: int, after: list[Any], limit: float) -> tuple[int, FoundFile] | Listed:
        """The file of a number after the last offset, or how far the listing has come."""
        while len(self._ahead) <= index:
            if self._listing is None:
                # Files that are ahead are not seen yet, and would be found again.
                if self._seen is not None and (self._ahead or not self._look_again()):
                    return Listed.SOME
                self._listing = self._list(after)
            try:
                found = next(self._listing, Listed.ALL)
            except BaseException:  # the rest of the listing is lost with it
                self._listing = self._place = None
                self._ahead.clear()
                self._ends = {}
                raise
            if isinstance(found, tuple):
                self._ahead.append(found)
            elif found is Listed.ALL and self._seen is None:
                return found
            elif found is Listed.ALL:
                self._listing = None
                self._listed_at = time.monotonic()
                return found
            if len(self._ahead) <= index and time.monotonic() >= limit:
                return Listed.SOME
        return self._ahead[index]

    def _look_again(self) -> bool:
        if self._interval_ms is None or self._listed_at is None:
            return True
        return (time.monotonic() - self._listed_at) * 1000 >= self._interval_ms

    def _list(self, after: list[Any]) -> Iterator[tuple[int, FoundFile] | Listed]:
        first, last = after if self._seen is None else (0, "")
        skipped = 0
        for index in range(first, len(self._locations)):
            earlier = self._locations[:index]  # of two paths that mean the same file, the first gives it
            for file in find_below(self._locations[index], last):
                seen = self._seen is not None and file.path in self._seen
                # An empty file holds no records, and may still be filled.
                if seen or not file.size or any(means(other, file.path) for other in earlier):
                    skipped += 1
                    if skipped % 1000 == 0:
                        yield Listed.SOME
                else:
                    yield index, file
            last = ""


def _rest(offset: dict[str, Any]) -> tuple[str, int] | None:
    """The file that an epoch has read in part."""
    if not offset["files"]:
        return None
    path, size = offset["files"][-1]
    return (path, size) if offset["to"] < size else None


def _begun(offset: dict[str, Any]) -> list[str]:
    """The files that an epoch has read first: all but the one that the epoch before has begun."""
    files = offset["files"]
    return [path for path, _ in (files[1:] if offset["from"] else files)]
