"""A loop inside a subtask: records that were fed back go round until none is left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from datastream.errors import cut
from datastream.graph.operators import Iteration

from .connector_contexts import logger_of

#: Records that go round together at most. More of them are cut, and each part goes round until none of it is left
#: before the next one follows, so that memory does not grow with what a loop makes of its input. A few stay in the
#: processor's cache: with 65,536 a round takes half as long again.
PART = 2048

_LONG_S = 30.0

Times = list[int | None] | None


class Loop:
    """Runs one loop in one subtask and epoch, round by round, without recursion.

    The records of a round stay in order. Some records of the input go round until none is left before the next come.

    Args:
        op: The loop's head.
        run: Runs records through the loop's body, once.

    Attributes:
        fed_back: Records that were fed back.
        dropped: Records that were not fed back, because of the loop's limit.
    """

    def __init__(self, op: Iteration, run: Callable[[list[Any], Times], None]) -> None:
        self.op = op
        self.fed_back = self.dropped = 0
        self._run = run
        self._waiting: list[tuple[int, list[Any], Times]] = []  # the next one is the last
        self._round: list[tuple[list[Any], Times]] = []  # what the round in hand has fed back
        self._busy = False
        self._ending = self._came_late = False
        self._late_rounds = 0

    def begin_pass(self) -> None:
        """At the epoch's end all operators give what they hold, such as calls under way, until nothing is fed back.

        What comes of that and is fed back has gone round once more in each pass, at least.
        """
        if self._ending and self._came_late:
            self._late_rounds += 1
        else:
            self._late_rounds = 0
        self._ending, self._came_late = True, False

    def enter(self, records: list[Any], times: Times) -> None:
        """Run records of the input, and all that is fed back because of them."""
        self._wait(0, records, times)
        self._go_round()

    def feed_back(self, records: list[Any], times: Times) -> None:
        """Take records from the loop's tail."""
        self._round.append((records, times))
        if not self._busy:  # an operator of the body has held them until now
            self._came_late = self._came_late or self._ending
            self._end_round(self._late_rounds)
            self._go_round()

    def _go_round(self) -> None:
        if self._busy:
            return
        self._busy = True
        began = warned = time.monotonic()
        try:
            while self._waiting:
                rounds, records, times = self._waiting.pop()
                self._run(records, times)
                self._end_round(rounds)
                if rounds % 256 == 255 and time.monotonic() - warned > _LONG_S:
                    warned = time.monotonic()
                    self._warn(rounds + 1, warned - began)
        finally:
            self._busy = False

    def _end_round(self, rounds: int) -> None:
        """What a round has fed back makes up the next one."""
        if not self._round:
            return
        records, times = self._round[0] if len(self._round) == 1 else _joined(self._round)
        self._round = []
        if self.op.max_iterations is not None and rounds >= self.op.max_iterations:
            self.dropped += len(records)
            return
        self.fed_back += len(records)
        self._wait(rounds + 1, records, times)

    def _wait(self, rounds: int, records: list[Any], times: Times) -> None:
        if len(records) <= PART:
            self._waiting.append((rounds, records, times))
            return
        for start in reversed(range(0, len(records), PART)):
            part = slice(start, start + PART)
            self._waiting.append((rounds, records[part], times and times[part]))

    def _warn(self, rounds: int, seconds: float) -> None:
        waiting = sum(len(records) for _, records, _ in self._waiting)
        sample = cut(self._waiting[-1][1][0]) if self._waiting else "none"
        logger_of(self.op).warning(
            "the loop '%s' (made at %s) has gone round %s times in %.0f s, and %s records are in it, such as %s: if "
            "they never leave it, its body has to drop them, or iterate(max_iterations=...) ends it",
            self.op.name,
            self.op.origin,
            f"{rounds:,}",
            seconds,
            f"{waiting:,}",
            sample,
        )


def _joined(parts: list[tuple[list[Any], Times]]) -> tuple[list[Any], Times]:
    records = [record for some, _ in parts for record in some]
    if all(times is None for _, times in parts):
        return records, None
    return records, [time for some, times in parts for time in times or [None] * len(some)]
