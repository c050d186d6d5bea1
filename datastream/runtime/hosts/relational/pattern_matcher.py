"""Finds patterns in the rows of a key, with the results and their order of Flink's library of patterns (CEP)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import ValidationError
from datastream.graph.operators.patterns import PatternPart, Skip

from .pattern_order import Partial, drop, pop, put
from .pattern_states import FINAL, Edge, states_of

Row = tuple[Any, ...]
#: (rows, bounds, place of the row in hand) -> whether the row fits.
Condition = Callable[[list[Row], tuple[int, ...], int], bool]


class KeyMatches:
    """What is kept of a key: rows that matches may need, matches that are not complete, and complete ones that wait.

    Attributes:
        rows: From the first one of any match on.
        partial: A queue, with one that has no row yet.
        complete: A queue.
    """

    def __init__(self, rows: list[Row], partial: list[Partial], complete: list[Partial]) -> None:
        self.rows, self.partial, self.complete = rows, partial, complete

    @property
    def idle(self) -> bool:
        """There is nothing to keep."""
        return len(self.partial) == 1 and not self.complete

    def trim(self) -> None:
        """Forget rows that no match needs."""
        matches = [*self.partial, *self.complete]
        first = min((each.bounds[0] for each in matches if each.bounds), default=len(self.rows))
        if first:
            del self.rows[:first]
            self.partial = [_moved(each, first) for each in self.partial]
            self.complete = [_moved(each, first) for each in self.complete]


class PatternMatcher:
    """Runs the automaton of a pattern.

    Args:
        parts: The pattern.
        conditions: Of each part; None: all rows fit.
        skip: Where the search goes on after a match.
        within_ms: How long a match lasts at most; None: there is no limit.
    """

    def __init__(
        self,
        parts: Sequence[PatternPart],
        conditions: Sequence[Condition | None],
        skip: Skip,
        within_ms: int | None,
    ) -> None:
        self._parts, self._conditions, self._skip = parts, conditions, skip
        self._states = states_of(parts)
        self._first = len(self._states) - 1
        self._within = within_ms

    def new(self) -> KeyMatches:
        """What is kept of a key at first."""
        return KeyMatches([], [Partial(self._first, 0, ())], [])

    def advance(self, key: KeyMatches, now: int) -> list[tuple[int, ...]]:
        """Forget matches that last too long at a time in ms; returns those that waited for them, as their bounds."""
        if self._within:
            kept: list[Partial] = []
            for each in key.partial:
                if not each.bounds or now - each.stamp < self._within:
                    put(kept, each)
            key.partial = kept
        return self._given(key) if key.complete else []

    def take(self, key: KeyMatches, row: Row, now: int) -> list[tuple[int, ...]]:
        """The next row, and its time in ms; returns matches that are complete now, as their bounds."""
        key.rows.append(row)
        partial: list[Partial] = []
        complete: list[Partial] = []
        for each in key.partial:
            for match in self._next(each, key.rows, now):
                put(complete if match.state == FINAL else partial, match)
        key.partial = partial
        for match in complete:
            put(key.complete, match)
        return self._given(key) if key.complete else []

    def _next(self, match: Partial, rows: list[Row], now: int) -> list[Partial]:
        """What becomes of a match with the last row."""
        fits = _Fits(self._conditions, match.bounds, rows)
        found: list[Partial] = []
        for edge in self._edges(match.state, fits):
            bounds = match.bounds + (fits.place,) * (edge.part + 1 - len(match.bounds))
            stamp = match.stamp if match.bounds else now
            found.append(self._at(edge.target, stamp, bounds, fits.place))
            if edge.target != FINAL and self._ends(edge.target, fits):
                found.append(self._at(FINAL, stamp, bounds, fits.place))
        if not match.bounds:
            found.append(match)
        return found

    def _at(self, state: int, stamp: int, bounds: tuple[int, ...], place: int) -> Partial:
        if state == FINAL:
            bounds += (place + 1,) * (len(self._parts) + 1 - len(bounds))
        return Partial(state, stamp, bounds)

    def _edges(self, state: int, fits: _Fits) -> list[Edge]:
        """The edges by which a row is taken."""
        found: list[Edge] = []
        states = [state]
        while states:
            here = states.pop()
            for edge in self._states[here] if here != FINAL else ():
                if not fits.allow(edge):
                    continue
                if edge.takes:
                    found.append(edge)
                else:
                    states.append(edge.target)
        return found

    def _ends(self, state: int, fits: _Fits) -> bool:
        """Whether all that is left of the pattern may be left out."""
        states = [state]
        while states:
            for edge in self._states[states.pop()]:
                if not edge.takes and fits.allow(edge):
                    if edge.target == FINAL:
                        return True
                    states.append(edge.target)
        return False

    def _given(self, key: KeyMatches) -> list[tuple[int, ...]]:
        """Complete matches that wait for no earlier one."""
        found: list[tuple[int, ...]] = []
        while key.complete and (not key.partial or key.complete[0].start <= key.partial[0].start):
            match = pop(key.complete)
            found.append(match.bounds)
            last = self._last_skipped(match.bounds)
            drop(key.partial, last)
            drop(key.complete, last)
        return found

    def _last_skipped(self, bounds: tuple[int, ...]) -> int:
        """No match begins with this row or one before."""
        if self._skip.target is None:
            return bounds[0] if self._skip.to == "next" else bounds[-1] - 1
        start, end = bounds[self._skip.target], bounds[self._skip.target + 1]
        variable = self._parts[self._skip.target].variable
        if start == end:
            raise ValidationError(f"Could not skip to {variable}. No such element in the found match")
        place = start if self._skip.to == "first" else end - 1
        if place == bounds[0]:
            raise ValidationError(f"Could not skip to first element of a match: AFTER MATCH SKIP TO {variable}")
        return place - 1


class _Fits:
    """Whether the last row fits conditions, each of which is evaluated once."""

    def __init__(self, conditions: Sequence[Condition | None], bounds: tuple[int, ...], rows: list[Row]) -> None:
        self._conditions, self._bounds, self._rows = conditions, bounds, rows
        self.place = len(rows) - 1
        self._known: dict[int, bool] = {}

    def allow(self, edge: Edge) -> bool:
        """Whether an edge may be taken."""
        if edge.takes and not self._fits(edge.part):
            return False
        return not any(map(self._fits, edge.unless))

    def _fits(self, part: int) -> bool:
        if part not in self._known:
            condition, place = self._conditions[part], self.place
            bounds = self._bounds + (place,) * (part + 1 - len(self._bounds))
            self._known[part] = condition is None or condition(self._rows, (*bounds, place + 1), place)
        return self._known[part]


def _moved(match: Partial, by: int) -> Partial:
    return match._replace(bounds=tuple(place - by for place in match.bounds))
