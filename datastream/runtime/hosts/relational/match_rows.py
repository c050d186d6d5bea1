"""Rows in, rows of matches out, for one key at a time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from datastream.graph.operators import MatchRecognize

from .match_code import condition_function, results_function
from .pattern_matcher import KeyMatches, PatternMatcher, Row
from .sort_limit import order_of
from .window_ends import MS

_stamp_of = itemgetter(0)


class MatchRows:
    """Finds the matches of an operator, and makes their rows."""

    def __init__(self, op: MatchRecognize) -> None:
        conditions = [
            None if code is None else condition_function(code, part, op.name)
            for part, code in enumerate(op.program.conditions)
        ]
        self._matcher = PatternMatcher(op.pattern, conditions, op.skip, op.within_ms)
        self._results = results_function(op.program.results, op.name)
        self._sorted = order_of(op.order) if len(op.order) > 1 else None

    def new(self) -> KeyMatches:
        """What is kept of a key at first."""
        return self._matcher.new()

    def take_all(self, key: KeyMatches, rows: Iterable[tuple[int, Row]]) -> list[Row]:
        """The results of more rows.

        Args:
            key: What is kept of their key.
            rows: With their times in ms, those of one time in the order in which they came.
        """
        out: list[Row] = []
        for stamp, group in groupby(sorted(rows, key=_stamp_of), key=_stamp_of):
            peers = [row for _, row in group]
            out += self.advance(key, stamp)
            for row in peers if self._sorted is None else self._sorted(peers):
                found = self._matcher.take(key, row, stamp)
                out += [self._results(key.rows, bounds, stamp * MS) for bounds in found]
        return out

    def advance(self, key: KeyMatches, now: int) -> list[Row]:
        """The results of matches that waited for what is too long at a time in ms."""
        found = self._matcher.advance(key, now)
        return [self._results(key.rows, bounds, now * MS) for bounds in found]
