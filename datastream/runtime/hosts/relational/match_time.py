"""Patterns in the order of time: rows wait until the watermark is there; by the clock they are taken at once."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators import MatchRecognize
from datastream.graph.slots import ROWS_OF_MATCHES
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import noting
from .late_rows import LateRows
from .match_rows import MatchRows
from .pattern_matcher import KeyMatches, Row
from .pattern_order import Partial
from .window_ends import MS

#: What a key keeps, a list: (time in ms, row) of rows that wait, in the order in which they came; rows that matches may
#: need; matches that are not complete; complete ones that wait for earlier ones.
_WAITING, _ROWS, _PARTIAL, _COMPLETE = range(4)

_stamp_of = itemgetter(0)


class MatchTimeHost(LateRows, KeyedHost):
    """Runs one automaton for each key. What no match within the limit of time needs is forgotten as time goes on."""

    def __init__(self, op: MatchRecognize, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._matches = MatchRows(op)
        self._time = op.order[0][0]
        timers = self.states.timers
        self._domain = TimeDomain.PROCESSING_TIME if op.processing else TimeDomain.EVENT_TIME
        self._set_timer = timers.register_processing_time_timer if op.processing else timers.register_event_time_timer

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        out: list[Row] = []
        with noting(self):
            if self._op.processing:
                out = self._at_once(keys, records)
            else:
                for key, row in zip(keys, records, strict=True):
                    self._wait(key, row)
        self.states.cell.leave()
        return self.untimed(out)

    def _wait(self, key: Any, row: Row) -> None:
        time = row[self._time]
        if time is None:
            self.record = row
            raise ValidationError(
                "RowTime field should not be null, please convert it to a non-null long value: it orders the rows of "
                "MATCH_RECOGNIZE"
            )
        stamp = time // MS
        if stamp <= self.watermark:
            self.note_late(stamp)
            return
        kept = self._kept(key)
        waiting = kept[_WAITING]
        if not waiting or stamp < waiting[0][0]:  # the first one is the earliest
            self._set_timer(stamp)
            waiting.insert(0, (stamp, row))
        else:
            waiting.append((stamp, row))

    def _kept(self, key: Any) -> list[Any]:
        """What a key keeps."""
        cell = self.states.cell
        cell.key, cell.content = key, self.states.values[key]
        kept: list[Any] | None = cell.content.get(ROWS_OF_MATCHES)
        if kept is None:
            kept = cell.content[ROWS_OF_MATCHES] = [[], [], [], []]
        return kept

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is self._domain:
            with noting(self):
                found = [self._due(self._kept(key), time) for _, key in self.states.fire(domain, time)]
            yield from map(self.untimed, chunks(found))

    def _due(self, kept: list[Any], now: int) -> list[Row]:
        """Results of the key in hand that are due at a time in ms."""
        due = [each for each in kept[_WAITING] if each[0] <= now]
        kept[_WAITING] = sorted((each for each in kept[_WAITING] if each[0] > now), key=_stamp_of)
        matches = self._loaded(kept)
        out = self._matches.take_all(matches, due)
        out += self._matches.advance(matches, now)
        self._store(kept, matches)
        if kept[_WAITING]:
            self._set_timer(kept[_WAITING][0][0])
        return out

    def _at_once(self, keys: list[Any], records: list[Row]) -> list[Row]:
        """Results of rows as they come: those of one block have one time."""
        now = self.setting.clock()
        if len(self._op.order) == 1:
            return [each for key, row in zip(keys, records, strict=True) for each in self._one(key, [(now, row)])]
        by_key: dict[Any, list[tuple[int, Row]]] = {}
        for key, row in zip(keys, records, strict=True):
            by_key.setdefault(key, []).append((now, row))
        return [each for key, rows in by_key.items() for each in self._one(key, rows)]

    def _one(self, key: Any, rows: list[tuple[int, Row]]) -> list[Row]:
        kept = self._kept(key)
        matches = self._loaded(kept)
        out = self._matches.take_all(matches, rows)
        self._store(kept, matches)
        return out

    # -- state -------------------------------------------------------------------------------------

    def _loaded(self, kept: list[Any]) -> KeyMatches:
        if not kept[_PARTIAL]:
            return self._matches.new()
        partial, complete = ([Partial(*each) for each in kept[place]] for place in (_PARTIAL, _COMPLETE))
        return KeyMatches(kept[_ROWS], partial, complete)

    def _store(self, kept: list[Any], matches: KeyMatches) -> None:
        """Keep what is left of the key in hand, and set the timer at which some of it may be forgotten."""
        if matches.idle and not kept[_WAITING]:
            del self.states.cell.content[ROWS_OF_MATCHES]
            return
        matches.trim()
        kept[_ROWS] = matches.rows
        kept[_PARTIAL] = [tuple(each) for each in matches.partial]
        kept[_COMPLETE] = [tuple(each) for each in matches.complete]
        if self._op.within_ms:
            stamps = [each.stamp for each in matches.partial if each.bounds]
            if stamps:
                self._set_timer(min(stamps) + self._op.within_ms)
