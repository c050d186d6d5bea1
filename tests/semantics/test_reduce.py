"""``key_by`` and ``reduce``: every update in order when streaming, only the final value in batch."""

from __future__ import annotations

from collections import defaultdict

from datastream import KeySelector, ReduceFunction, RuntimeExecutionMode
from datastream.testing import case


class First(KeySelector):
    def get_key(self, value):
        return value[0]


class Adding(ReduceFunction):
    def reduce(self, value1, value2):
        return value1[0], value1[1] + value2[1]


PAIRS = [(k, n) for n in range(50) for k in "abcde"[: n % 5 + 1]]


def updates(pairs):
    """Key -> its running sums."""
    sums, out = defaultdict(int), defaultdict(list)
    for key, n in pairs:
        sums[key] += n
        out[key].append(sums[key])
    return dict(out)


def by_key(pairs):
    out = defaultdict(list)
    for key, n in pairs:
        out[key].append(n)
    return dict(out)


@case
def test_streaming_gives_every_update_in_order(env):
    got = yield env.from_collection(PAIRS).key_by(First()).reduce(Adding())
    assert by_key(got) == updates(PAIRS)


@case(batch=True)
def test_batch_gives_the_final_value_only(env):
    got = yield env.from_collection(PAIRS).key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
    assert dict(got) == {k: n[-1] for k, n in updates(PAIRS).items()}
    assert len(got) == 5


@case(batch=True)
def test_batch_two_levels(env):
    counts = env.from_collection(PAIRS).map(lambda p: (p[0], 1)).key_by(lambda p: p[0]).sum(1)
    got = yield counts.key_by(lambda p: 0).max(1), counts.key_by(lambda p: 0).sum(1)
    assert [n for _, n in got[0]] == [50]
    assert [n for _, n in got[1]] == [len(PAIRS)]


@case(batch=True)
def test_batch_without_records(env):
    got = yield env.from_collection([]).key_by(lambda p: p).sum()
    assert got == []


@case
def test_a_single_record_is_not_reduced(env):
    got = yield env.from_collection([("a", 1)]).key_by(First()).reduce(lambda a, b: 1 / 0)
    assert got == [("a", 1)]


@case
def test_two_chained_key_by(env):
    words = env.from_collection(["aa", "b", "cc", "b", "d", "ee"])
    counts = words.map(lambda w: (w, 1)).key_by(First()).reduce(Adding())
    lengths = counts.map(lambda p: (len(p[0]), 1)).key_by(First()).reduce(Adding())
    got = yield lengths
    assert by_key(got) == {2: [1, 2, 3], 1: [1, 2, 3]}


@case
def test_key_by_again_counts_only_the_last(env):
    stream = env.from_collection([(1, 2), (3, 2)]).key_by(lambda p: p[0]).key_by(lambda p: p[1])
    got = yield stream.sum(0)
    assert got == [(1, 2), (4, 2)]


@case
def test_key_by_then_map(env):
    got = yield env.from_collection(range(100)).key_by(lambda x: x % 7).map(lambda x: x).filter(lambda x: x)
    assert sorted(got) == list(range(1, 100))
    for rest in range(7):
        of_key = [x for x in got if x % 7 == rest]
        assert of_key == sorted(of_key)


@case
def test_none_as_a_value(env):
    got = yield env.from_collection([1, 2, 3]).key_by(lambda x: 0).reduce(lambda a, b: None if b == 2 else b)
    assert got == [1, None, 3]


@case
def test_two_aggregates_of_one_keyed_stream(env):
    keyed = env.from_collection([("a", 3), ("a", 1), ("a", 2)]).key_by(First())
    got = yield keyed.min(1), keyed.max(1), keyed.sum(1)
    assert got == (
        [("a", 3), ("a", 1), ("a", 1)],
        [("a", 3), ("a", 3), ("a", 3)],
        [("a", 3), ("a", 4), ("a", 6)],
    )


@case(alone=True)
def test_automatic_mode_is_batch_when_the_sources_end(env):
    env.set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)
    got = yield env.from_collection([1, 2, 3]).key_by(lambda x: 0).sum()
    assert got == [6]
