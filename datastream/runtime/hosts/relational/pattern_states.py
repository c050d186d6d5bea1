"""The states of a pattern of rows, as Flink's library of patterns (CEP) makes them of quantifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from datastream.graph.operators.patterns import PatternPart

#: The state of a pattern that is complete.
FINAL = -1


class Edge(NamedTuple):
    """What leads from a state to another one.

    Attributes:
        takes: The row is taken; else the next state gets it.
        target: The next state.
        part: The part of the pattern that takes the row, and whose condition must hold.
        unless: Parts whose conditions must not hold: those before that take all they can.
    """

    takes: bool
    target: int
    part: int
    unless: tuple[int, ...] = ()


#: By state, its edges in the order in which they are tried. A pattern begins in the last one.
States = tuple[tuple[Edge, ...], ...]


def states_of(parts: Sequence[PatternPart]) -> States:
    """The states of a pattern.

    Args:
        parts: From first to last.
    """
    made = _States()
    state = FINAL
    for part in reversed(range(len(parts))):
        state = made.before(state, part, parts[part])
    return tuple(map(tuple, made.edges))


class _States:
    """Makes states from the last to the first."""

    def __init__(self) -> None:
        self.edges: list[list[Edge]] = []

    def before(self, after: int, part: int, quantifier: PatternPart) -> int:
        """The state in which a part of the pattern begins.

        Args:
            after: The state behind the part.
            part: Its place in the pattern.
            quantifier: How many rows it takes.
        """
        least, most = max(quantifier.least, 1), quantifier.most
        state = after
        if most is None:
            state = self._loop(after, part)
            most = least
            if quantifier.greedy:
                self._hinder(after, part)
        elif quantifier.greedy and least != most:
            self._hinder(after, part)
        for _ in range(least, most):
            state = self._single(state, part, after)
        for _ in range(least - 1):
            state = self._single(state, part, None)
        return self._single(state, part, after if quantifier.least == 0 else None)

    def _loop(self, after: int, part: int) -> int:
        """A state that takes rows, and stays."""
        place = len(self.edges)
        self.edges.append([Edge(False, after, part), Edge(True, place, part)])
        return place

    def _single(self, target: int, part: int, after: int | None) -> int:
        """A state that takes one row; `after`: or goes on there without it."""
        made = [Edge(True, target, part)]
        if after is not None:
            made.append(Edge(False, after, part))
        self.edges.append(made)
        return len(self.edges) - 1

    def _hinder(self, state: int, part: int) -> None:
        """Rows that a part before can take do not go to a state."""
        if state != FINAL:
            self.edges[state] = [each._replace(unless=(*each.unless, part)) for each in self.edges[state]]
