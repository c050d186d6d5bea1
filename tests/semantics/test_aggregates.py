"""``sum``, ``min``, ``max``, ``min_by`` and ``max_by``, by position, by name and of plain values."""

from __future__ import annotations

from collections import namedtuple

from datastream import Row
from datastream.testing import case

Point = namedtuple("Point", "key n tag")
VALUES = [(3, "a"), (1, "b"), (1, "c"), (5, "d"), (5, "e"), (2, "f")]
FIELDS = {
    "sum": [3, 4, 5, 10, 15, 17],
    "min": [3, 1, 1, 1, 1, 1],
    "max": [3, 3, 3, 5, 5, 5],
}
TAGS = {"min_by": list("abbbbb"), "max_by": list("aaaddd")}


def aggregates(stream, position):
    keyed = stream.key_by(lambda r: 0)
    return tuple(getattr(keyed, name)(position) for name in (*FIELDS, *TAGS))


def check(got, number, tag):
    for name, records in zip((*FIELDS, *TAGS), got, strict=True):
        if name in FIELDS:
            assert [number(r) for r in records] == FIELDS[name], name
            assert {tag(r) for r in records} == {"a"}, "the other fields are those of the first record"
        else:
            assert [tag(r) for r in records] == TAGS[name], name


@case
def test_tuples(env):
    got = yield aggregates(env.from_collection([("k", n, tag) for n, tag in VALUES]), 1)
    check(got, lambda r: r[1], lambda r: r[2])


@case
def test_positions_from_the_end(env):
    pairs = [("k", n) for n, _ in VALUES]
    keyed = env.from_collection(pairs).key_by(lambda r: r[0])
    sums, rows = yield keyed.sum(-1), env.from_collection([Row(*pair) for pair in pairs]).key_by(lambda r: r[0]).sum(-1)
    assert sums == [("k", n) for n in FIELDS["sum"]]
    assert rows == [Row("k", n) for n in FIELDS["sum"]]


@case
def test_lists(env):
    got = yield aggregates(env.from_collection([[n, tag] for n, tag in VALUES]), 0)
    check(got, lambda r: r[0], lambda r: r[1])


@case
def test_rows_by_position(env):
    got = yield aggregates(env.from_collection([Row("k", n, tag) for n, tag in VALUES]), 1)
    check(got, lambda r: r[1], lambda r: r[2])


@case
def test_rows_by_name(env):
    got = yield aggregates(env.from_collection([Row(tag=tag, n=n) for n, tag in VALUES]), "n")
    check(got, lambda r: r.n, lambda r: r.tag)


@case
def test_dicts_by_name(env):
    got = yield aggregates(env.from_collection([{"n": n, "tag": tag} for n, tag in VALUES]), "n")
    check(got, lambda r: r["n"], lambda r: r["tag"])


@case
def test_named_tuples(env):
    got = yield aggregates(env.from_collection([Point("k", n, tag) for n, tag in VALUES]), 1)
    check(got, lambda r: r.n, lambda r: r.tag)
    assert all(type(r) is Point for records in got for r in records)


@case
def test_plain_numbers_and_texts(env):
    numbers = env.from_collection([n for n, _ in VALUES]).key_by(lambda x: 0)
    texts = env.from_collection(["b", "a", "c"]).key_by(lambda x: 0)
    got = yield numbers.sum(), numbers.min(), numbers.max_by(), texts.sum(), texts.min(), texts.max()
    assert got == (
        FIELDS["sum"],
        FIELDS["min"],
        FIELDS["max"],
        ["b", "ba", "bac"],
        ["b", "a", "a"],
        ["b", "b", "c"],
    )


@case(batch=True)
def test_batch(env):
    got = yield aggregates(env.from_collection([("k", n, tag) for n, tag in VALUES]), 1)
    assert got == ([("k", 17, "a")], [("k", 1, "a")], [("k", 5, "a")], [("k", 1, "b")], [("k", 5, "d")])
