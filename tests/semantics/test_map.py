"""``map``: one record in, one record out, in order."""

from __future__ import annotations

from datastream import MapFunction, Types
from datastream.testing import case


class Doubling(MapFunction):
    def map(self, value):
        return value * 2


@case
def test_function(env):
    got = yield env.from_collection([1, 2, 3]).map(lambda x: x + 1)
    assert got == [2, 3, 4]


@case
def test_object_with_a_method(env):
    got = yield env.from_collection([1, "a"]).map(Doubling())
    assert got == [2, "aa"]


@case
def test_builtin_and_declared_type(env):
    got = yield env.from_collection(["1", "2"]).map(int, output_type=Types.INT())
    assert got == [1, 2]


@case
def test_none_is_a_record(env):
    got = yield env.from_collection([1, None, 2]).map(lambda x: None if x == 1 else x)
    assert got == [None, None, 2]


@case
def test_one_after_the_other(env):
    got = yield env.from_collection([1, 2]).map(lambda x: x + 1).map(lambda x: x * 10).map(str)
    assert got == ["20", "30"]
