"""``process`` without keys."""

from __future__ import annotations

from datastream import ProcessFunction
from datastream.testing import case


class Twice(ProcessFunction):
    def process_element(self, value, ctx):
        assert ctx.timestamp() == -(2**63)
        yield value
        yield -value


class Silent(ProcessFunction):
    def process_element(self, value, ctx):
        return None


@case
def test_yields(env):
    got = yield env.from_collection([1, 2]).process(Twice())
    assert got == [1, -1, 2, -2]


@case
def test_none_is_no_record(env):
    got = yield env.from_collection([1, 2]).process(Silent())
    assert got == []


@case
def test_between_other_operators(env):
    got = yield env.from_collection([1, 2]).map(lambda x: x + 1).process(Twice()).filter(lambda x: x < 0)
    assert got == [-2, -3]
