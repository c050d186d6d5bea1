"""The rows of one side of a join, by key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from datastream.runtime.appended import FIRST_BUCKET, AppendedState, Frame, Log
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.pages import Store
from datastream.types.pickles import plain_key

from .nan_rows import with_one_nan

#: Bytes of a log that is read, from which on those of its key group become more, smaller ones; how many it should have
#: then, so that this is seldom; and the bucket of the first one where they are as many as they may be.
_LARGE, _SHARE = 64 * 1024, 16 * 1024
_MOST = FIRST_BUCKET << 6

#: A log is searched for no more keys in an epoch: to decode it takes as long as to search it for ten.
_SEARCHED = 5

#: Classes of keys that a log can be searched for.
_PLAIN = {int, str, type(None)}

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
        plain_keys: Keys are whole numbers, or texts: logs are searched for keys that are new, and are not decoded.

    Attributes:
        logs: Where rows are stored.
        rows: Of the keys that were loaded, and of some others: the list of their rows; of a counted side, row -> how
            often it is there. Keys without rows are not there.
    """

    def __init__(self, counted: bool, max_parallelism: int, reals: bool = False, plain_keys: bool = False) -> None:
        self._counted, self._reals = counted, counted and reals
        self._plain_keys = plain_keys
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
        self.logs = AppendedState(store, uid, fold, self._plain_keys)
        self._forget()

    def load(self, keys: Iterable[Any]) -> None:
        """Bring in the rows of these keys."""
        wanted = set(keys).difference(self._known)
        if not wanted:
            return
        self._known |= wanted
        self._find(wanted)
        asked: dict[Log, set[Any]] = {}
        for key in wanted:
            if (log := self._places[key]) not in self._read:
                asked.setdefault(log, set()).add(key)
        if not asked:
            return
        self._gather()
        logs = self._to_read(asked)
        self._read |= logs
        for log in logs:
            for key in self._searched.pop(log, ()):  # they come with all others
                self.rows.pop(key, None)
        for log, frames in self.logs.read(logs).items():
            for frame in frames:
                self._take(frame)
            if log in self._gathered:
                self._take(self._gathered[log])
        for log in self._searched.keys() & asked.keys() & self._gathered.keys():
            self._take(_of_keys(self._gathered[log], asked[log]))

    def _to_read(self, asked: dict[Log, set[Any]]) -> set[Log]:
        """The logs that have to be read for the rows of some keys; of the others their keys are noted."""
        logs = set(asked)
        if self._plain_keys:
            possible = {log: self.logs.possible(log, keys) for log, keys in asked.items()}
            self._searches.update({log: len(keys) for log, keys in possible.items() if keys})
            few = {log: keys for log, keys in possible.items() if self._searches[log] <= _SEARCHED}
            without = few.keys() - self.logs.mentioning({log: keys for log, keys in few.items() if keys})
            for log in without:
                self._searched.setdefault(log, set()).update(asked[log])
            logs -= without
        return logs

    def add(self, keys: list[Any], rows: list[Row]) -> None:
        """Rows have come, to a side that is not counted."""
        self._new[0].extend(keys)
        self._new[1].extend(rows)
        if self._known:
            self._find(keys)
            places, read, known = self._places, self._read, self._known
            here = {key for key in set(keys) if key in known or places[key] in read}
            if here:
                self._take(_of_keys((keys, rows), here))

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
        asked = self._read.union(self._searches)
        for group in {log[0] for log in asked if log[1] < _MOST and self.logs.size(log) > _LARGE}:
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
        self._searches: Counter[Log] = Counter()  # for how many keys logs were searched
        self._searched: dict[Log, set[Any]] = {}  # logs that were not read, and keys that nothing is stored of there
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
        if self._plain_keys and not _PLAIN.issuperset(map(type, keys)):
            keys = list(map(plain_key, keys))
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
        while total >> bits > _SHARE and FIRST_BUCKET << bits < _MOST:
            bits += 1
        frames = [frame for some in self.logs.read(logs).values() for frame in some]
        frames += [self._gathered.pop(log) for log in list(self._gathered) if log[0] == group]
        for log in logs:
            self.logs.remove(log)
        divided: defaultdict[Log, Frame] = defaultdict(lambda: ([], []))
        frame_of: dict[Any, Frame] = {}
        for key, value in chain.from_iterable(zip(*frame, strict=True) for frame in frames):
            frame = frame_of.get(key)
            if frame is None:
                frame = frame_of[key] = divided[group, _bucket(stable_hash(key), bits)]
            frame[0].append(key)
            frame[1].append(value)
        self._gathered.update(divided)


def _bucket(key_hash: int, bits: int) -> int:
    return FIRST_BUCKET << bits | (key_hash >> 32) & ((1 << bits) - 1)


def _of_keys(frame: Frame, keys: set[Any]) -> Frame:
    """What a frame has of some keys."""
    pairs = [(key, value) for key, value in zip(*frame, strict=True) if key in keys]
    return [key for key, _ in pairs], [value for _, value in pairs]


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
