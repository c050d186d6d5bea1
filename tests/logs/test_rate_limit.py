"""How many messages a line of code may log."""

from __future__ import annotations

import pytest

from datastream.logs.rate_limit import RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_each_line_has_a_limit_of_its_own(clock: Clock) -> None:
    limit = RateLimit(2, clock)
    assert [limit.admit("a") is None for _ in range(4)] == [True, True, False, False]
    assert limit.admit("b") is None
    assert limit.take_left_out() == [], "its second has not ended"
    clock.now += 1
    assert [window.left_out for window in limit.take_left_out()] == [2]
    assert limit.admit("a") is None
    assert limit.take_left_out() == []


def test_what_was_left_out_counts_once(clock: Clock) -> None:
    limit = RateLimit(1, clock)
    for _ in range(3):
        limit.admit("a")
    assert [window.left_out for window in limit.take_left_out(all=True)] == [2]
    assert limit.admit("a") is not None, "the second goes on"
    assert [window.left_out for window in limit.take_left_out(all=True)] == [1]


def test_a_new_second_does_not_forget_what_the_one_before_left_out(clock: Clock) -> None:
    limit = RateLimit(1, clock)
    limit.admit("a"), limit.admit("a")
    clock.now += 2
    limit.admit("a"), limit.admit("a")
    assert sum(window.left_out for window in limit.take_left_out(all=True)) == 2


def test_zero_is_no_limit() -> None:
    limit = RateLimit(0)
    assert all(limit.admit("a") is None for _ in range(1000))
