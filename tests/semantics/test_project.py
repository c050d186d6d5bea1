"""``project``: some fields, in the order asked for."""

from __future__ import annotations

from datastream import Row, Types
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


@case
def test_declared_types_are_kept(env):
    pairs = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()])).project(1, 0)
    assert pairs.get_type() == Types.TUPLE([Types.INT(), Types.STRING()])
    named = env.from_collection([Row("a", 1)], Types.ROW_NAMED(["name", "n"], [Types.STRING(), Types.INT()])).project(1)
    got = yield pairs, named.map(lambda row: row.n)
    assert got == ([(1, "a")], [1])
