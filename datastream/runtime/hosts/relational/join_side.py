"""The rows of one side of a join, by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from datastream.runtime.appended import FIRST_BUCKET, AppendedState, Frame, Log
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.pages import Store

from .nan_rows import with_one_nan

#: Bytes of a log that is read, from which on those of its key group become more, smaller ones; and the bucket of the
#: first one where they are as many as they may be.
_LARGE = 64 * 1024
_MOST = FIRST_BUCKET << 6

#: Keys whose places are remembered from epoch to epoch.
_REMEMBERED = 500_000

Row = tuple[Any, ...]


class JoinSide:
    """Adds rows without reading what is there, and reads the rows of keys that are asked for.

    Keys of a key group are divided among a power of two of logs. Their buckets begin with that number, so that it is
    known from any of them.

    Args:
        counted: Rows also go. Logs say of a row how often it is there, and the last word counts. Else they hold rows.
        max_parallelism: How many key groups there are.
        reals: Rows may have NaN in them: those of a counted side are given and kept as `with_one_nan` makes them.

    Attributes:
        logs: Where rows are stored.
        rows: Of the keys that were loaded, and of some others: the list of their rows; of a counted side, row -> how
            often it is there. Keys without rows are not there.
    """

    def __init__(self, counted: bool, max_parallelism: int, reals: bool = False) -> None:
        self._counted, self._reals = counted, counted and reals
        self._max_parallelism = max_parallelism
        self._bits: dict[int, int] = {}
        self._places: dict[Any, Log] = {}

    def begin(self, store: Store, uid: str, groups: range) -> None:
        """Begin an epoch.

        Args:
            store: Where entries live.
            uid: Names the logs.
            groups: The key groups of this subtask.
        """
        self._groups = groups
        fold = (_last_words_of_reals if self._reals else _last_words) if self._counted else None
        self.logs = AppendedState(store, uid, fold)
        self._forget()

    def load(self, keys: Iterable[Any]) -> None:
        """Bring in the rows of these keys."""
        wanted = set(keys).difference(self._known)
        if not wanted:
            return
        self._known |= wanted
        self._find(wanted)
        logs = {self._places[key] for key in wanted} - self._read
        self._read |= logs
        if logs:
            self._gather()
        for log, frames in self.logs.read(logs).items():
            for frame in frames:
                self._take(frame)
            if log in self._gathered:
                self._take(self._gathered[log])

    def add(self, keys: list[Any], rows: list[Row]) -> None:
        """Rows have come, to a side that is not counted."""
        self._new[0].extend(keys)
        self._new[1].extend(rows)
        if self._read:
            self._find(keys)
            here = [log in self._read for log in map(self._places.__getitem__, keys)]
            if any(here):
                pairs = [pair for pair, is_here in zip(zip(keys, rows, strict=True), here, strict=True) if is_here]
                self._take(([key for key, _ in pairs], [row for _, row in pairs]))

    def count(self, key: Any, row: Row, number: int) -> None:
        """A row of a loaded key is there so often now, on a counted side."""
        self._new[0].append(key)
        self._new[1].append((row, number))
        self._take(([key], [(row, number)]))

    def group(self, group: int) -> dict[Any, Any]:
        """All rows of a key group, as `rows`; call after `flush`."""
        for frames in self.logs.read(self.logs.buckets([group])).values():
            for frame in frames:
                self._take(frame)
        found = self.rows
        self._forget()
        return found

    def flush(self) -> None:
        """Store what has changed."""
        self._gather()
        for group in {log[0] for log in self._read if log[1] < _MOST and self.logs.size(log) > _LARGE}:
            self._divide(group)
        for log, frame in self._gathered.items():
            self.logs.add(log, frame)
        self.logs.flush()
        self.logs.forget()
        self._forget()

    def _forget(self) -> None:
        self.rows: dict[Any, Any] = {}
        self._known: set[Any] = set()
        self._read: set[Log] = set()
        self._is_ready = False
        self._new: Frame = ([], [])
        self._gathered: dict[Log, Frame] = {}

    def _take(self, frame: Frame) -> None:
        """Put what a log says to the loaded rows."""
        rows = self.rows
        get = rows.get
        if not self._counted:
            for key, row in zip(*frame, strict=True):
                found = get(key)
                if found is None:
                    rows[key] = [row]
                else:
                    found.append(row)
            return
        if self._reals:
            frame = _of_one_nan(frame)
        for key, (row, number) in zip(*frame, strict=True):
            if number:
                rows.setdefault(key, {})[row] = number
            elif (found := get(key)) is not None:
                found.pop(row, None)
                if not found:
                    del rows[key]

    # -- logs ------------------------------------------------------------------------------------------

    def _find(self, keys: Iterable[Any]) -> None:
        """Find out where these keys are: `_places` has them then."""
        places = self._places
        if not self._is_ready:
            self._is_ready = True
            bits = dict.fromkeys(self._groups, 0)
            bits.update((group, bucket.bit_length() - 1) for group, bucket in self.logs.buckets(self._groups))
            if bits != self._bits or len(places) > _REMEMBERED:
                self._bits = bits
                places.clear()
        for key in set(keys).difference(places):
            key_hash = stable_hash(key)
            group = key_hash % self._max_parallelism
            places[key] = group, _bucket(key_hash, self._bits[group])

    def _gather(self) -> None:
        """Sort what is new by log."""
        keys, values = self._new
        self._find(keys)
        gathered = self._gathered
        get = gathered.get
        for log, key, value in zip(map(self._places.__getitem__, keys), keys, values, strict=True):
            frame = get(log)
            if frame is None:
                gathered[log] = [key], [value]
            else:
                frame[0].append(key)
                frame[1].append(value)
        self._new = [], []

    def _divide(self, group: int) -> None:
        """Give a key group more logs."""
        logs = self.logs.buckets([group])
        total, bits = sum(map(self.logs.size, logs)), self._bits[group] + 1
        while total >> bits > _LARGE // 2 and FIRST_BUCKET << bits < _MOST:
            bits += 1
        frames = [frame for some in self.logs.read(logs).values() for frame in some]
        frames += [self._gathered.pop(log) for log in list(self._gathered) if log[0] == group]
        for log in logs:
            self.logs.remove(log)
        divided: defaultdict[Log, Frame] = defaultdict(lambda: ([], []))
        for key, value in chain.from_iterable(zip(*frame, strict=True) for frame in frames):
            keys, values = divided[group, _bucket(stable_hash(key), bits)]
            keys.append(key)
            values.append(value)
        self._gathered.update(divided)


def _bucket(key_hash: int, bits: int) -> int:
    return FIRST_BUCKET << bits | (key_hash >> 32) & ((1 << bits) - 1)


def _last_words(frames: list[Frame], oldest: bool) -> Frame:
    """What is said last of each row; nothing of those that are gone, where nothing else is said of them."""
    last: dict[tuple[Any, Row], int] = {}
    for keys, words in frames:
        for key, (row, number) in zip(keys, words, strict=True):
            last.pop((key, row), None)  # a row that comes again is the latest one
            last[key, row] = number
    said = [(key, (row, number)) for (key, row), number in last.items() if number or not oldest]
    return [key for key, _ in said], [word for _, word in said]


def _last_words_of_reals(frames: list[Frame], oldest: bool) -> Frame:
    """As `_last_words`, of rows that may have NaN in them."""
    return _last_words(list(map(_of_one_nan, frames)), oldest)


def _of_one_nan(frame: Frame) -> Frame:
    keys, words = frame
    return keys, [(with_one_nan(row), number) for row, number in words]
