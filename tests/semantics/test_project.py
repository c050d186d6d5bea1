"""``project``: some fields, in the order asked for."""

from __future__ import annotations

from datastream import Row
from datastream.testing import case


@case
def test_tuples(env):
    got = yield env.from_collection([("a", 1, True), ("b", 2, False)]).project(2, 0)
    assert got == [(True, "a"), (False, "b")]


@case
def test_rows(env):
    plain = env.from_collection([Row("a", 1, True)]).project(1, 0)
    named = env.from_collection([Row(name="a", n=1)]).project(1).map(lambda row: row[0])
    got = yield plain, named
    assert got == ([Row(1, "a")], [1])


@case
def test_a_field_twice(env):
    got = yield env.from_collection([("a", 1)]).project(0, 0)
    assert got == [("a", "a")]
