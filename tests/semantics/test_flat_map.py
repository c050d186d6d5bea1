"""``flat_map``: any number of records out, whichever way the function gives them."""

from __future__ import annotations

from datastream import FlatMapFunction
from datastream.testing import case


class Words(FlatMapFunction):
    def flat_map(self, value):
        yield from value.split()


@case
def test_generator(env):
    got = yield env.from_collection(["to be or", "", "not"]).flat_map(Words())
    assert got == ["to", "be", "or", "not"]


@case
def test_list(env):
    got = yield env.from_collection([0, 1, 3]).flat_map(lambda n: [n] * n)
    assert got == [1, 3, 3, 3]


@case
def test_none_is_no_record(env):
    got = yield env.from_collection([1, 2, 3]).flat_map(lambda n: [n] if n % 2 else None)
    assert got == [1, 3]


@case
def test_none_inside_is_a_record(env):
    got = yield env.from_collection([1]).flat_map(lambda n: [None, n])
    assert got == [None, 1]


@case
def test_other_iterables(env):
    text = env.from_collection(["ab"]).flat_map(str.upper)
    mapping = env.from_collection([{"a": 1, "b": 2}]).flat_map(dict.items)
    numbers = env.from_collection([3]).flat_map(range)
    got = yield text, mapping, numbers
    assert got == (["A", "B"], [("a", 1), ("b", 2)], [0, 1, 2])


@case
def test_nested(env):
    got = yield env.from_collection([2]).flat_map(lambda n: range(n)).flat_map(lambda n: [n, n + 10])
    assert got == [0, 10, 1, 11]
