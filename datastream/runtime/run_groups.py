"""The key groups of an operator that are kept in runs; see `datastream.runtime.runs`.

Keys are found by a search in the sorted numbers of all runs, the newest of each key group first, so that a key costs
about the same whatever the number of keys. Runs are read whole, but not again and again: the worker's disk has copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from datastream.types.pickles import dumps, dumps_each

from .run_copies import RunCopies
from .runs import (
    NO_TIMER,
    Numbers,
    Run,
    Timers,
    as_list,
    encode_run,
    group_of,
    joined,
    merged,
    name_of,
    numbers_of,
    overhead,
    pairs_of,
    pieces_of,
    search,
)
from .state_format.entries import unpickled_each
from .state_format.layout import run_key
from .state_format.records import RUN

#: A run is stored in pieces of this many bytes.
PIECE = 1 << 19
#: What has more bytes is heavy.
HEAVY = 64 * 1024

#: Pieces that are asked for at once.
_FETCH = 64
#: A run that is at most so many times as large as the newer ones together, in bytes or in keys, is merged with them.
_MERGE = 2

#: Least timers of event and of processing time: by page, by key group, or by run, of its keys that no newer run has.
#: What has no timers is not there.
Least = tuple[dict[int, int], dict[int, int]]


class RunInfo(NamedTuple):
    """What the head of a key group knows of a run.

    Attributes:
        sequence: Higher than that of all older ones.
        name: Its digest.
        keys: How many.
        size: In bytes.
        timers: How many keys have one.
    """

    sequence: int
    name: bytes
    keys: int
    size: int
    timers: int

    @property
    def values(self) -> int:
        """The bytes of its values."""
        return self.size - overhead(self.keys, self.timers > 0)

    def pieces(self, prefix: bytes, group: int) -> list[bytes]:
        """The keys of its entries."""
        return [run_key(prefix, group, self.sequence, self.name, i) for i in range(-(-self.size // PIECE))]


class RunStore(Protocol):
    """Where pieces of runs lie; see `datastream.runtime.pages.Store`."""

    @property
    def copies(self) -> Path | None: ...

    def get(self, keys: list[bytes]) -> list[bytes | None]: ...


class RunRules(Protocol):
    """Who knows what is kept.

    Attributes:
        expires: Something of it may.
    """

    @property
    def expires(self) -> bool: ...

    def tidy(self, page: dict[Any, Any]) -> None:
        """Take out of what is kept, by key, what has expired."""

    def lighten_run(self, group: int, page: dict[Any, Any]) -> bool:
        """Give parts of what is kept, which is heavy, entries of their own; whether there were any."""
        ...

    def least_of(self, group: int) -> Least | None:
        """The least timers of a key group in runs, to be changed; None: keys have none."""
        ...


class Sealed(NamedTuple):
    """What a flush has made.

    Attributes:
        groups: The key groups whose heads are to be written.
        entries: To be written.
        gone: Keys of entries to be deleted.
        size: Of what is kept of the keys that were loaded, in bytes.
        expired: What has expired of other keys: how many, and their bytes.
    """

    groups: set[int]
    entries: list[tuple[bytes, bytes]]
    gone: list[bytes]
    size: int
    expired: list[tuple[int, int]]


class _Rank:
    """One run of each of some key groups, for a search in all of them at once.

    Args:
        runs: In the order of their key groups.
    """

    def __init__(self, runs: list[Run]) -> None:
        self._numbers = np.concatenate([run.numbers for run in runs])
        self._ends = np.concatenate([run.ends for run in runs])
        self._firsts = np.cumsum([0, *(len(run) for run in runs[:-1])])
        self._values = [run.values for run in runs]

    def find(self, wanted: Numbers) -> tuple[Numbers, Iterator[bytes]]:
        """Which of some numbers are there, and what is stored of those."""
        there, spots = search(self._numbers, wanted)
        spots = spots[there]
        which: Numbers = np.searchsorted(self._firsts, spots, "right") - 1
        ends = spots + which  # of each run there is one more end than numbers
        values = self._values
        spans = zip(which.tolist(), self._ends[ends].tolist(), self._ends[ends + 1].tolist(), strict=True)
        return there, (bytes(values[i][a:b]) for i, a, b in spans)


class RunGroups:
    """Key groups in runs, for the length of one epoch.

    Args:
        store: Where pieces of runs lie.
        prefix: What the keys of all entries begin with.

    Attributes:
        runs: By key group, its runs, the oldest first.
    """

    def __init__(self, store: RunStore, prefix: bytes) -> None:
        self._store, self._prefix = store, prefix
        self._copies = RunCopies(store.copies)
        self.runs: dict[int, list[RunInfo]] = {}
        self._open: dict[bytes, Run] = {}  # by name
        self._ranks: list[tuple[set[int], list[_Rank]]] = []  # of these key groups
        self._found: dict[int, bytes] = {}  # by number, what is stored
        self._numbers: dict[Any, int] = {}  # of keys
        # By key group and domain in which timers were looked for: the least timers of runs before that, and up to when.
        self._scanned: dict[tuple[int, int], tuple[dict[int, int], int]] = {}

    def forget(self) -> None:
        """The epoch ends."""
        for part in (self.runs, self._open, self._ranks, self._found, self._numbers, self._scanned):
            part.clear()

    # -- reading -----------------------------------------------------------------------------------------

    def load(self, groups: list[int], keys: list[Any], hashes: list[int]) -> tuple[dict[Any, Any], int]:
        """What some keys keep, and its bytes; with them come others that have the same number.

        Args:
            groups: The key groups of the keys.
            keys: The keys.
            hashes: Of the keys.
        """
        numbers = numbers_of(np.array(groups, np.uint64), np.array(hashes, np.uint64))
        self._numbers.update(zip(keys, numbers.tolist(), strict=True))
        return self._load(self.ranked(set(groups)), numbers)

    def all(self, group: int) -> tuple[dict[Any, Any], int]:
        """What all keys of a key group keep."""
        return self._load(self.ranked({group}), self._whole(group).numbers)

    def due(self, group: int, domain: int, time: int, least: dict[int, int]) -> tuple[list[Any], dict[Any, Any], int]:
        """Keys that have a timer at a time or before it, or had one; what those keep that are read for it; its bytes.

        Args:
            group: The key group.
            domain: 0 for event time, 1 for processing time.
            time: In ms.
            least: By run, the least timer; is changed: what is due counts no more.
        """
        self._have([group])
        before, _ = self._scanned.get((group, domain), (dict(least), 0))
        self._scanned[group, domain] = before, time
        parts = [np.zeros(0, np.uint64)]
        for info in self.runs[group]:
            first = least.get(info.sequence)
            if first is not None and first <= time:
                run = self._open[info.name]
                assert run.timers is not None
                timers = run.timers[domain]
                parts.append(run.numbers[(timers >= first) & (timers <= time) & (timers != NO_TIMER)])
                later = timers[(timers > time) & (timers != NO_TIMER)]
                _note(least, info.sequence, int(later.min()) if len(later) else NO_TIMER)
        numbers = np.unique(np.concatenate(parts))
        found = self._found
        known = [found[number] for number in numbers.tolist() if found.get(number)]
        page, size = self._load(self.ranked({group}), numbers)
        return [*(key for key, _ in pairs_of(known)), *page], page, size

    def items(self, group: int) -> Iterator[tuple[Any, Any]]:
        """All keys and what they keep; nothing of it is remembered."""
        whole = self._whole(group)
        for info in self.runs[group]:
            self._open.pop(info.name, None)
        for start in range(0, len(whole), 4096):
            yield from pairs_of(list(whole.at(np.arange(start, min(start + 4096, len(whole))))))

    def _whole(self, group: int) -> Run:
        self._have([group])
        runs = [self._open[info.name] for info in self.runs[group]]
        return Run(merged(runs, True) if runs else encode_run(np.zeros(0, np.uint64), [], None))

    def _load(self, ranks: list[_Rank], wanted: Numbers) -> tuple[dict[Any, Any], int]:
        found = self._found
        wanted = np.unique(wanted)
        if found and not found.keys().isdisjoint(wanted.tolist()):
            wanted = wanted[[number not in found for number in wanted.tolist()]]
        new: dict[int, bytes] = {}
        for rank in ranks:
            if not len(wanted):
                break
            there, values = rank.find(wanted)
            new.update(zip(wanted[there].tolist(), values, strict=True))
            wanted = wanted[~there]
        found.update(new)
        if b"" in new.values():  # those are gone
            new = {number: value for number, value in new.items() if value}
        pairs = unpickled_each(RUN, new.values())
        size = sum(map(len, new.values()))
        try:
            page = dict(pairs)
            if len(page) == len(pairs) and list not in set(map(type, pairs)):
                if not page.keys() <= self._numbers.keys():
                    self._numbers.update(zip(page, new, strict=True))
                return page, size
        except (TypeError, ValueError):  # several pairs in place of one
            pass
        page = {}
        for number, some in zip(new, map(as_list, pairs), strict=True):
            page.update(some)
            self._numbers.update((key, number) for key, _ in some)
        return page, size

    def ranked(self, groups: set[int]) -> list[_Rank]:
        """For a search, runs of these key groups and of others, of each key group the newest first."""
        missing = groups.difference(*(there for there, _ in self._ranks))
        if missing:
            while self._ranks and len(self._ranks[-1][0]) <= 2 * len(missing):
                missing |= self._ranks.pop()[0]
            self._have(missing)
            newest = [[self._open[info.name] for info in reversed(self.runs[group])] for group in sorted(missing)]
            depth = max(map(len, newest))
            self._ranks.append((missing, [_Rank([runs[i] for runs in newest if len(runs) > i]) for i in range(depth)]))
        return [rank for _, ranks in self._ranks for rank in ranks]

    def _have(self, groups: Iterable[int]) -> None:
        """Have all runs of some key groups at hand."""
        missing = [
            (info, info.pieces(self._prefix, group))
            for group in groups
            for info in self.runs[group]
            if not self._opens(info)
        ]
        keys = [key for _, some in missing for key in some]
        given = chain.from_iterable(
            self._store.get(keys[start : start + _FETCH]) for start in range(0, len(keys), _FETCH)
        )
        for info, some in missing:
            data = joined(info.name, filter(None, [next(given) for _ in some]))
            self._open[info.name] = Run(data)
            self._copies.write(info.name, data)

    def _opens(self, info: RunInfo) -> bool:
        """Have a run at hand if that is so already, or there is a copy of it; whether it is."""
        if info.name not in self._open:
            data = self._copies.read(info.name)
            if data is None:
                return False
            self._open[info.name] = Run(data)
        return True

    # -- writing -----------------------------------------------------------------------------------------

    def take_over(self, group: int, keys: list[Any], hashes: list[int]) -> None:
        """A key group was in pages until now; these are its keys."""
        self.runs[group] = []
        numbers = numbers_of(np.full(len(keys), group, np.uint64), np.array(hashes, np.uint64))
        self._numbers.update(zip(keys, numbers.tolist(), strict=True))

    def seal(self, page: dict[Any, Any], rules: RunRules) -> Sealed:
        """Make runs of what was changed.

        Args:
            page: What is kept of the keys that were loaded.
            rules: Who knows what it means.
        """
        found = self._found
        pairs: list[Any] = list(page.items())
        numbers = list(map(self._numbers.__getitem__, page))
        if len(set(numbers)) < len(numbers):
            numbers, pairs = _together(numbers, pairs)
        values = dumps_each(pairs)
        size = sum(map(len, values))
        get = found.get
        places = [i for i, (number, value) in enumerate(zip(numbers, values, strict=True)) if get(number) != value]
        for i in places:
            if len(values[i]) > HEAVY and rules.lighten_run(group_of(numbers[i]), dict(as_list(pairs[i]))):
                size -= len(values[i])
                values[i] = dumps(pairs[i])
                size += len(values[i])
        stay = set(numbers)
        gone = [] if found.keys() <= stay else [n for n, value in found.items() if value and n not in stay]
        changed = np.array([*(numbers[i] for i in places), *gone], np.uint64)
        order = np.argsort(changed)
        changed = changed[order]
        new = [*(values[i] for i in places), *[b""] * len(gone)]
        new = [new[i] for i in order.tolist()]
        groups: list[int] = sorted(set(group_of(changed).tolist()))
        timers: Timers | None = None
        if groups and rules.least_of(groups[0]) is not None:
            timers = _timers([*(pairs[i] for i in places), *[[]] * len(gone)])
        sealed = Sealed({*groups, *(group for group, _ in self._scanned)}, [], [], size, [])
        if changed.size:
            self._copies.remove_unused()
        firsts: Numbers = np.searchsorted(changed, numbers_of(np.array(groups, np.uint64), np.uint64(0)))
        bounds: list[int] = [*firsts.tolist(), len(changed)]
        for group, a, b in zip(groups, bounds, bounds[1:], strict=False):
            some = timers and (timers[0][order[a:b]], timers[1][order[a:b]])
            self._add(group, encode_run(changed[a:b], new[a:b], some), b - a, rules, sealed)
        for group in sealed.groups:
            least = rules.least_of(group)
            if least is not None:
                self._have([group])
                self._sum(group, least)
        return sealed

    def _add(self, group: int, data: bytes, keys: int, rules: RunRules, sealed: Sealed) -> None:
        """Put a run behind the others, and merge those that are not much larger."""
        self._have([group])
        runs = self.runs[group]
        sequence = runs[-1].sequence + 1 if runs else 1
        gone: list[RunInfo] = []
        size = len(data)
        while runs and (runs[-1].size <= _MERGE * size or runs[-1].keys <= _MERGE * keys):
            gone.append(runs.pop())
            size += gone[-1].size
            keys += gone[-1].keys
        if gone:
            data = merged([*(self._open[info.name] for info in reversed(gone)), Run(data)], not runs)
        if rules.expires and not runs:
            data = _tidied(Run(data), rules, sealed)
        for info in gone:
            self._open.pop(info.name, None)
            self._copies.remove(info.name)
            sealed.gone.extend(info.pieces(self._prefix, group))
        run = Run(data)
        if not len(run):
            return
        timed = 0 if run.timers is None else int(((run.timers[0] != NO_TIMER) | (run.timers[1] != NO_TIMER)).sum())
        info = RunInfo(sequence, name_of(data), len(run), len(data), timed)
        runs.append(info)
        self._open[info.name] = run
        self._copies.write(info.name, data)
        sealed.entries.extend(zip(info.pieces(self._prefix, group), pieces_of(data, PIECE), strict=True))

    def _sum(self, group: int, least: Least) -> None:
        """Have the least timers of runs after a new one has come."""
        runs = self.runs[group]
        for domain in (0, 1):
            before, until = self._scanned.get((group, domain), (dict(least[domain]), -1 << 63))
            least[domain].clear()
            for i, info in enumerate(runs):
                timers = self._open[info.name].timers
                newer = runs[i + 1 :]
                if timers is not None and not newer:
                    _note(least[domain], info.sequence, int(timers[domain].min()))
                elif timers is not None and info.sequence in before:
                    first = self._first(info, timers[domain], newer, before[info.sequence], until)
                    _note(least[domain], info.sequence, first)

    def _first(self, info: RunInfo, column: Numbers, newer: list[RunInfo], before: int, until: int) -> int:
        """The least timer in a run of a key that no newer run has.

        Args:
            info: The run.
            column: Its timers.
            newer: The newer runs.
            before: What it was.
            until: Keys with timers up to then have been looked at, most of which newer runs have now.
        """
        later = (column > max(before, until)) & (column != NO_TIMER)
        next_one = column[later].min() if later.any() else NO_TIMER
        looked_at = (column > before) & (column <= until) & (column != NO_TIMER)
        for chosen in (column == before, looked_at, later & (column == next_one), later):
            alive = self._alive(info, chosen, newer)
            if len(alive):
                return int(column[alive].min())
        return NO_TIMER

    def _alive(self, info: RunInfo, chosen: Any, newer: list[RunInfo]) -> Numbers:
        """Which of some keys of a run no newer run has: their places."""
        run = self._open[info.name]
        places = np.flatnonzero(chosen)
        for other in newer:
            if not len(places):
                break
            places = places[~self._open[other.name].has(run.numbers[places])]
        return places


def _together(numbers: list[int], pairs: list[Any]) -> tuple[list[int], list[Any]]:
    """Pairs of keys that have one number, as one."""
    by_number: dict[int, Any] = {}
    for number, pair in zip(numbers, pairs, strict=True):
        by_number[number] = [*as_list(by_number[number]), pair] if number in by_number else pair
    return list(by_number), list(by_number.values())


def _tidied(run: Run, rules: RunRules, sealed: Sealed) -> bytes:
    """A run of all keys of a key group, without what has expired."""
    numbers: list[int] = []
    kept: list[Any] = []
    keys = 0
    for number, pairs in zip(run.numbers.tolist(), unpickled_each(RUN, run.at(np.arange(len(run)))), strict=True):
        page = dict(as_list(pairs))
        keys += len(page)
        rules.tidy(page)
        keys -= len(page)
        if page:
            some = list(page.items())
            numbers.append(number)
            kept.append(some[0] if len(some) == 1 else some)
    timers = None if run.timers is None else _timers(kept)
    values = dumps_each(kept)
    sealed.expired.append((keys, len(run.values) - sum(map(len, values))))
    return encode_run(np.array(numbers, np.uint64), values, timers)


def _note(least: dict[int, int], at: int, timer: int) -> None:
    if timer == NO_TIMER:
        least.pop(at, None)
    else:
        least[at] = timer


def _timers(pairs: list[Any]) -> Timers | None:
    """The least timers of keys whose contents are given; None: there are none."""
    contents = [pair[1] if type(pair) is tuple else _first_timers(pair) for pair in pairs]
    slots = set().union(*contents)
    if 0 not in slots and 1 not in slots:
        return None
    event, processing = (
        np.array([_in_column(content[domain][0]) if domain in content else NO_TIMER for content in contents], np.int64)
        if domain in slots
        else np.full(len(contents), NO_TIMER)
        for domain in (0, 1)
    )
    return event, processing


def _in_column(timer: int) -> int:
    """A timer as columns have it: in place of one that does not fit, the nearest that does and is not `NO_TIMER`."""
    return timer if -NO_TIMER < timer < NO_TIMER else NO_TIMER - 1 if timer > 0 else -NO_TIMER


def _first_timers(pairs: list[Any]) -> dict[int, list[int]]:
    """As a content, the least timers of keys that have one number."""
    return {
        domain: [min(content[domain][0] for _, content in pairs if domain in content)]
        for domain in (0, 1)
        if any(domain in content for _, content in pairs)
    }
