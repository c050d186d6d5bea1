"""Pages whose values are contents of keys, with timers that are found without looking at every key.

A key group's head knows the least timer of each of its pages, and one entry of the operator in this subtask, the
summary, knows the least of each key group. So what is due is found by reading the summary, the heads of due key
groups and due pages, whose keys are needed anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from datastream.graph.slots import EVENT_TIME, PROCESSING_TIME
from datastream.metrics import Kept
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.pages import READ, PagedState, PageId, Store
from datastream.runtime.run_groups import Least
from datastream.runtime.state_format import decode, encode
from datastream.runtime.state_format.layout import SUMMARY
from datastream.runtime.state_format.records import CONTENTS, CONTENTS_HEAD, TIMERS

_DOMAINS = (EVENT_TIME, PROCESSING_TIME)


class ContentRules(Protocol):
    """Who knows what the contents mean."""

    @property
    def expires(self) -> bool:
        """Whether something may expire."""
        ...

    def tidy(self, page: dict[Any, dict[Any, Any]]) -> None:
        """Drop what has expired from the contents of a page that may be written."""

    def lighten(self, page: dict[Any, dict[Any, Any]], group: int) -> bool:
        """Move large collections of a heavy page to chunks; whether there were any."""


class TimedPages(PagedState):
    """The contents by key of one operator in one subtask, for the length of one epoch.

    `values` has a content for every loaded key; keys whose content is empty are not stored.

    Args:
        store: Where entries live.
        uid: Names the operator.
        max_parallelism: How many key groups there are.
        groups: The key groups of this subtask.
        rules: Who knows what the contents mean.
    """

    _page_record = CONTENTS
    _head_record = CONTENTS_HEAD

    def __init__(self, store: Store, uid: str, max_parallelism: int, groups: range, rules: ContentRules) -> None:
        super().__init__(store, uid, max_parallelism)
        self._groups = groups
        self._rules = rules
        self._least: dict[int, Least] = {}  # by key group whose head was read, of its pages
        self._collections: dict[int, int] = {}  # by such key group, how many numbers of collections it has given
        self._read: dict[int, tuple[int | None, int | None]] = {}  # by such key group, the least when it was read
        self._summary: Least | None = None
        self._scanned: set[PageId] = set()
        #: Whether timers of event time are set; known after `next_processing_time`.
        self.awaits_event_time = False

    def load(self, keys: Collection[Any]) -> None:
        super().load(keys)
        values = self.values
        for key in keys:
            if key not in values:
                values[key] = {}

    def group_of(self, key: Any) -> int:
        """The key group of a key."""
        return stable_hash(key) % self._max_parallelism

    def new_collection(self, group: int) -> int:
        """A number for a collection that no other of the key group has, or ever had."""
        self._collections[group] += 1
        self._scanned.add((group, 0))
        return self._collections[group]

    def take_over(self, group: int, collection: int) -> None:
        """A collection of this number has come from elsewhere, with a key of the key group that is loaded."""
        self._collections[group] = max(collection, self._collections[group])
        self._scanned.add((group, 0))

    def due(self, domain: int, time: int) -> list[tuple[int, Any]]:
        """Load the keys of stored pages that have a timer at a time or before it: (least timer, key).

        Keys that were given before are given again only if they have not been loaded until now.
        """
        summary = self._summed()[domain]
        groups = sorted(g for g, least in summary.items() if least <= time)
        if not groups:
            return []
        self._fetch_heads(set(groups))
        runs = self._runs.runs
        places = [
            (g, i)
            for g in groups
            if g not in runs
            for i, least in sorted(self._least[g][domain].items())
            if least <= time
        ]
        self._fetch({p for p in places if p not in self._pages})
        self._scanned.update(places, ((g, 0) for g in groups))
        found: list[tuple[int, Any]] = []
        for p in places:
            self._scan(p, list(self._pages[p]), domain, time, found)
        if not runs.keys().isdisjoint(groups):
            self._runs.ranked(runs.keys() & groups)
        for g in groups:
            if g in runs:
                keys, page, size = self._runs.due(g, domain, time, self._least[g][domain])
                self._came(page, size)
                self._scanned.add(READ)
                self._scan(READ, keys, domain, time, found)
            _note(summary, g, min(self._least[g][domain].values(), default=None))
        return found

    def _scan(self, place: PageId, keys: list[Any], domain: int, time: int, found: list[tuple[int, Any]]) -> None:
        """Load those of some keys of a page that have a timer at a time or before it."""
        page, rest = self._pages[place], []
        for key in keys:
            content = page[key]
            timers = content.get(domain)
            if timers:
                if timers[0] <= time:
                    found.append((timers[0], key))
                    if key not in self.values:
                        self.values[key] = content
                        self._members.setdefault(place, []).append(key)
                else:
                    rest.append(timers[0])
        if place != READ:
            _note(self._least[place[0]][domain], place[1], min(rest, default=None))

    def next_processing_time(self) -> int | None:
        """The least timer of processing time that is stored, in ms; call after `flush`."""
        summed = self._summed()
        least = min(summed[PROCESSING_TIME].values(), default=None)
        self.awaits_event_time = bool(summed[EVENT_TIME])
        self._forget()
        return least

    # -- as pages ----------------------------------------------------------------------------------------

    def _store_values(self) -> set[PageId]:
        values, pages = self.values, self._pages
        dirty = self._scanned.union(self._members)
        for p, members in self._members.items():
            pages[p].update([(key, content) for key in members if (content := values[key])])
        for p in dirty:
            page = pages[p]
            self._rules.tidy(page)
            if not all(page.values()):
                for key in [key for key, content in page.items() if not content]:
                    del page[key]
        return dirty

    def _index(self, places: set[PageId]) -> set[PageId]:
        heads: set[PageId] = set()
        for group, index in places - {READ}:
            contents = self._pages[group, index].values()
            changed = [
                _note(
                    self._least[group][domain],
                    index,
                    min([c[domain][0] for c in contents if domain in c], default=None),
                )
                for domain in _DOMAINS
            ]
            if True in changed:
                heads.add((group, 0))
        return heads

    def _lighten(self, places: set[PageId]) -> set[PageId]:
        changed = {p for p in places if self._rules.lighten(self._pages[p], p[0])}
        return changed | {(group, 0) for group, _ in changed}

    @property
    def expires(self) -> bool:  # type: ignore[override]
        return self._rules.expires

    def tidy(self, page: dict[Any, Any]) -> None:
        self._rules.tidy(page)
        for key in [key for key, content in page.items() if not content]:
            del page[key]

    def lighten_run(self, group: int, page: dict[Any, Any]) -> bool:
        return self._rules.lighten(page, group)

    def least_of(self, group: int) -> Least | None:
        return self._least[group]

    def _encode(self, place: PageId) -> bytes | None:
        group, index = place
        if index:
            return super()._encode(place)
        if group in self._runs.runs:
            return self._encode_runs(group, self._least[group], self._collections[group])
        page, bits, least, count = self._pages[place], self._bits[group], self._least[group], self._collections[group]
        if page or bits or any(least):
            return encode(self._head_record, (bits, page, *least, count))
        return None  # without keys there are no collections either

    def _weigh(self, page: dict[Any, Any], size: int) -> Kept:
        timers = sum([len(c[domain]) for c in page.values() for domain in _DOMAINS if domain in c])
        return super()._weigh(page, size)._replace(timers=timers)

    def _decode_head(self, group: int, head: Any) -> dict[Any, Any]:
        page: dict[Any, Any]
        self._bits[group], page, event, processing, self._collections[group] = head or (0, {}, {}, {}, 0)
        self._set_least(group, (event, processing))
        return page

    def _decode_runs(self, group: int, runs: list[Any], least: Least, collections: int) -> None:
        super()._decode_runs(group, runs, least, collections)
        self._collections[group] = collections
        self._set_least(group, least)

    def _set_least(self, group: int, least: Least) -> None:
        self._least[group] = event, processing = least
        self._read[group] = min(event.values(), default=None), min(processing.values(), default=None)

    def _write(self, encoded: dict[PageId, bytes | None]) -> None:
        now = {g: tuple(min(d.values(), default=None) for d in self._least[g]) for g in {g for g, _ in encoded}}
        if self._summary is not None or any(now[g] != self._read[g] for g in now):
            summary = self._summed()
            for group, least in now.items():
                for domain in _DOMAINS:
                    _note(summary[domain], group, least[domain])
            encoded = {**encoded, SUMMARY: encode(TIMERS, (self._groups.start, self._groups.stop, *summary))}
        super()._write(encoded)

    def _forget(self) -> None:
        super()._forget()
        self._least.clear()
        self._collections.clear()
        self._read.clear()
        self._scanned.clear()
        self._summary = None

    def _summed(self) -> Least:
        """The summary; made anew from the heads where there is none of just these key groups."""
        if self._summary is None:
            data = self._store.get([self._key(SUMMARY)])[0]
            if data is not None:
                start, stop, *least = decode(TIMERS, data)
            if data is not None and (start, stop) == (self._groups.start, self._groups.stop):
                self._stored[SUMMARY] = self._digest(data)
                self._summary = least[0], least[1]
            else:
                self._fetch_heads(set(self._groups))
                self._summary = {}, {}
                for group in self._groups:
                    for domain in _DOMAINS:
                        _note(self._summary[domain], group, self._read[group][domain])
        return self._summary


def _note(least: dict[int, int], at: int, timer: int | None) -> bool:
    """Set a least timer, or that there is none; whether that is new."""
    if least.get(at) == timer:
        return False
    if timer is None:
        del least[at]
    else:
        least[at] = timer
    return True
