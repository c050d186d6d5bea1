"""A plain backtracking matcher for patterns of letters, and random patterns: what MATCH_RECOGNIZE should give.

A part of a pattern is a tuple: the letters that it takes, how many at least and at most (None: any number), and whether
it is greedy. A letter that a greedy part can take does not go to what is behind that part.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Part:
    """A variable of a pattern."""

    letters: frozenset[str]
    least: int
    most: int | None
    greedy: bool

    def quantifier(self) -> str:
        """As it is written in SQL."""
        least, most = self.least, self.most
        simple = {(1, 1): "", (0, 1): "?", (0, None): "*", (1, None): "+"}.get((least, most))
        if simple is None:
            simple = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
        return simple if self.greedy or (least, most) == (0, 1) or least == most else f"{simple}?"


class Plain:
    """Finds matches of a pattern in a text.

    Args:
        parts: The pattern.
        text: A letter for each row.
    """

    def __init__(self, parts: tuple[Part, ...], text: str) -> None:
        self.parts, self.text = parts, text
        self._from = cache(self._taking)

    def ends(self, start: int) -> set[int]:
        """The last rows of all matches that begin with a row."""
        return {place for place, complete in self._from(0, 0, start) if complete}

    def alive(self, start: int) -> set[int]:
        """The rows behind which a match that begins with a row may still become longer or complete."""
        return {place for place, complete in self._from(0, 0, start) if not complete}

    def _taking(self, part: int, count: int, place: int) -> frozenset[tuple[int, bool]]:
        """What follows when the row at a place is taken: (row, whether a match is complete with it)."""
        if place == len(self.text):
            return frozenset()
        found: set[tuple[int, bool]] = set()
        for to, had in self._reachable(part, count, self.text[place]):
            if self.text[place] not in self.parts[to].letters:
                continue
            if self._complete(to, had + 1, self.text[place]):
                found.add((place, True))
            if not self._full(to, had + 1):
                found.add((place, False))
                found |= self._from(to, had + 1, place + 1)
        return frozenset(found)

    def _full(self, part: int, count: int) -> bool:
        return part == len(self.parts) - 1 and count == self.parts[part].most

    def _reachable(self, part: int, count: int, letter: str) -> Iterator[tuple[int, int]]:
        """Parts that a letter may go to, and how many rows they have."""
        while part < len(self.parts):
            here = self.parts[part]
            if here.most is None or count < here.most:
                yield part, count
            if count < here.least or (here.greedy and letter in here.letters):
                return
            part, count = part + 1, 0

    def _complete(self, part: int, count: int, letter: str) -> bool:
        """Whether all that is left may be left out."""
        if count < self.parts[part].least:
            return False
        if part == len(self.parts) - 1:
            return True
        if any(each.least for each in self.parts[part + 1 :]):
            return False
        return not any(each.greedy and letter in each.letters for each in self.parts[part:-1])


def check(parts: tuple[Part, ...], text: str, past_last: bool, found: list[tuple[int, int]]) -> None:
    """Test matches of a text: (first row, last row) of each, in order.

    Of the matches that begin with one row the first that is complete is given; where an earlier one was not decided
    then, any of them may be.
    """
    plain, start, left = Plain(parts, text), 0, list(found)
    while start < len(text):
        ends = plain.ends(start)
        if not ends:
            start += 1
            continue
        assert left, (parts, text, found, start)
        first, last = left.pop(0)
        assert first == start and last in ends, (parts, text, found, start)
        if not any(min(ends) in plain.alive(before) for before in range(start)):
            assert last == min(ends), (parts, text, found, start)
        start = last + 1 if past_last else start + 1
    assert not left, (parts, text, found)


def draw(draw: random.Random) -> tuple[Part, ...]:
    """A random pattern that Flink takes."""
    while True:
        parts = tuple(_part(draw) for _ in range(draw.randint(1, 4)))
        pairs = zip(parts, parts[1:], strict=False)
        if parts[-1].greedy or not any(each.least for each in parts):
            continue
        if not any(one.greedy and other.least == 0 and other.most in (1, None) for one, other in pairs):
            return parts


def _part(draw: random.Random) -> Part:
    letters = frozenset(draw.sample("abc", draw.choice((1, 1, 2))))
    least, most = draw.choice([(1, 1), (1, 1), (0, 1), (0, None), (1, None), (2, 2), (1, 2), (0, 2), (2, None), (2, 3)])
    return Part(letters, least, most, (least, most) != (0, 1) and least != most and draw.random() < 0.5)
