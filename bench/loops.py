"""Loops: each number goes round twenty times, through three functions."""

from __future__ import annotations

from typing import Any

from bench.engine import ENDLESS, EPOCH_RECORDS, environment, rate
from bench.plain import chunks, together

ROUNDS = 20

begin = lambda x: (x, 0)  # noqa: E731 - a job's functions are lambdas
turn = lambda r: (r[0] * 3 + 1 & 0xFFFFF, r[1] + 1)  # noqa: E731
again = lambda r: r[1] < ROUNDS  # noqa: E731
done = lambda r: r[1] == ROUNDS  # noqa: E731


def inside(warm_s: float, seconds: float) -> dict[str, Any]:
    """A loop inside a subtask; records of the input count."""
    env = environment(EPOCH_RECORDS)
    loop = env.from_sequence(0, ENDLESS).map(begin).iterate()
    turned = loop.map(turn)
    loop.close_with(turned.filter(again))
    return rate(env, turned.filter(done), warm_s, seconds)


def plain(seconds: float) -> dict[str, Any]:
    """The same functions in a loop for each number."""
    return together(_rounds, seconds)


def _rounds(number: int, seconds: float) -> tuple[int, float]:
    def work(low: int, high: int) -> None:
        for x in range(low, high):
            record = begin(x)
            while True:
                record = turn(record)
                if done(record):
                    break
                if not again(record):
                    raise AssertionError(record)

    return chunks(number, seconds, work)
