"""``filter``: keeps what the function finds true."""

from __future__ import annotations

from datastream import FilterFunction
from datastream.testing import case


class Above(FilterFunction):
    def __init__(self, bound):
        self.bound = bound

    def filter(self, value):
        return value > self.bound


@case
def test_function(env):
    got = yield env.from_collection(range(6)).filter(lambda x: x % 2 == 0)
    assert got == [0, 2, 4]


@case
def test_object(env):
    got = yield env.from_collection(range(6)).filter(Above(3))
    assert got == [4, 5]


@case
def test_any_true_value_keeps(env):
    got = yield env.from_collection(["", "a", None, [], [0]]).filter(lambda x: x)
    assert got == ["a", [0]]


@case
def test_nothing_left(env):
    got = yield env.from_collection(range(6)).filter(lambda x: False).map(str)
    assert got == []
