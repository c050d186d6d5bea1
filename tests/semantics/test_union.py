"""``union``: all records of all inputs, wherever they come from."""

from __future__ import annotations

from collections import Counter

from datastream import Row, Types
from datastream.testing import case


@case
def test_two_streams(env):
    got = yield env.from_collection([1, 2]).union(env.from_collection([3, 4])).map(lambda x: x * 10)
    assert sorted(got) == [10, 20, 30, 40]


@case
def test_with_itself(env):
    stream = env.from_collection(range(3))
    got = yield stream.union(stream), stream.union(stream, stream).map(str)
    assert sorted(got[0]) == [0, 0, 1, 1, 2, 2]
    assert Counter(got[1]) == {"0": 3, "1": 3, "2": 3}


@case
def test_streams_of_different_levels(env):
    near = env.from_collection(range(10))
    far = near.rebalance().map(lambda x: x + 100).key_by(lambda x: x).reduce(lambda a, b: b)
    got = yield near.union(far).map(lambda x: -x)
    assert sorted(got) == sorted([-x for x in range(10)] + [-x - 100 for x in range(10)])


@case
def test_diamond_three_exchanges_deep(env):
    top = env.from_collection(range(100)).rebalance().map(lambda x: x)
    left = top.shuffle().map(lambda x: ("left", x)).rebalance().map(lambda p: p)
    right = top.filter(lambda x: x % 2).map(lambda x: ("right", x))
    got = yield left.union(right).key_by(lambda p: p[1]).reduce(lambda a, b: (a[0] + b[0], a[1])).map(str)
    assert len(got) == 150
    assert sum("left" in text and "right" in text for text in got) == 50


@case
def test_partitioned_and_keyed_inputs(env):
    a = env.from_collection(range(5)).rebalance()
    b = env.from_collection(range(5, 10)).key_by(lambda x: x)
    got = yield b.union(a), a.union(b.sum())
    assert sorted(got[0]) == sorted(got[1]) == list(range(10))


@case
def test_into_an_aggregate(env):
    a = env.from_collection([("a", 1), ("b", 1)])
    b = env.from_collection([("a", 10)])
    got = yield a.union(b, a).key_by(lambda p: p[0]).sum(1)
    assert max(n for k, n in got if k == "a") == 12
    assert [n for k, n in got if k == "b"] == [1, 2]


@case
def test_rows_have_the_names_of_the_first_stream(env):
    def rows(*names):
        inner = Types.ROW_NAMED([names[0]], [Types.INT()])
        return Types.ROW_NAMED(list(names), [Types.INT(), Types.INT(), inner])

    kind, other = rows("a", "b", "c"), rows("b", "a", "d")
    first = env.from_collection([Row(1, 10, Row(100))], type_info=kind)
    given = env.from_collection([Row(2, 20, Row(200))], type_info=other)
    made = env.from_collection([3]).map(lambda n: Row(a=30, b=n, d=Row(b=300)), output_type=other)
    both = first.union(given, made)
    assert repr(both.get_type()) == repr(kind)
    got = yield (
        both,
        both.map(lambda row: (row.a, row.b, row.c.a)),
        both.key_by(lambda row: row.a).map(lambda row: row.b),
    )
    assert sorted(got[0], key=str) == [Row(a=n, b=10 * n, c=Row(a=100 * n)) for n in (1, 2, 3)]
    assert sorted(got[1]) == [(n, 10 * n, 100 * n) for n in (1, 2, 3)]
    assert sorted(got[2]) == [10, 20, 30]
