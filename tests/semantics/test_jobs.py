"""Shapes and sizes of jobs: branches, several sources, nothing, much, and large records."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

from datastream import Types
from datastream.testing import case


@case
def test_branches(env):
    numbers = env.from_collection(range(10))
    even = numbers.filter(lambda x: x % 2 == 0)
    got = yield numbers, even, even.map(str), numbers.map(lambda x: -x), even
    assert got == (
        list(range(10)),
        [0, 2, 4, 6, 8],
        ["0", "2", "4", "6", "8"],
        [-x for x in range(10)],
        [0, 2, 4, 6, 8],
    )


@case
def test_several_sources(env):
    letters, numbers = env.from_collection(["a", "b", "c"]), env.from_sequence(1, 100)
    got = yield letters.map(str.upper), numbers, env.from_collection([("x", 1)])
    assert got[0] == ["A", "B", "C"]
    assert sorted(got[1]) == list(range(1, 101))
    assert got[2] == [("x", 1)]


@case
def test_empty_collection(env):
    nothing = env.from_collection([])
    got = yield nothing, nothing.map(str).rebalance().map(str), nothing.key_by(lambda x: x).sum()
    assert got == ([], [], [])


@case(alone=True)
def test_a_job_of_nothing_but_an_empty_collection(env):
    got = yield env.from_collection([]).key_by(lambda x: x).sum()
    assert got == []


@case
def test_one_record(env):
    got = yield env.from_collection([7]).rebalance().map(lambda x: x).key_by(lambda x: x).sum()
    assert got == [7]


@case
def test_counts_of_a_large_collection(env):
    chosen = random.Random(5)
    words = [f"word {int(chosen.paretovariate(0.7))}" for _ in range(50_000)]
    counts = env.from_collection(words).rebalance().map(lambda w: (w, 1)).key_by(lambda p: p[0]).sum(1)
    got = yield counts
    assert len(got) == len(words)
    last = {}
    for word, n in got:
        assert n == last.get(word, 0) + 1
        last[word] = n
    assert last == Counter(words)


@case(batch=True)
def test_counts_of_a_large_collection_in_batch(env):
    words = [f"word {i * i % 9973}" for i in range(50_000)]
    got = yield env.from_collection(words).rebalance().map(lambda w: (w, 1)).key_by(lambda p: p[0]).sum(1)
    assert dict(got) == Counter(words)
    assert len(got) == len(Counter(words))


@case
def test_records_of_five_megabytes(env):
    texts = env.from_collection([1, 2, 3]).map(lambda n: (n, str(n) * 5_000_000))
    sizes = texts.rebalance().map(lambda p: p).key_by(lambda p: p[0]).reduce(lambda a, b: b)
    got = yield sizes.map(lambda p: (p[0], len(p[1]), p[1][-1])), texts.filter(lambda p: p[0] == 2)
    assert sorted(got[0]) == [(1, 5_000_000, "1"), (2, 5_000_000, "2"), (3, 5_000_000, "3")]
    assert got[1] == [(2, "2" * 5_000_000)]


@case
def test_order_within_a_key_over_an_exchange(env):
    numbers = env.from_collection(range(20_000)).map(lambda n: (n * 7919 % 101, n))
    keyed = numbers.key_by(lambda p: p[0])
    got = yield keyed.map(lambda p: p), keyed.reduce(lambda a, b: b)
    for part in got:
        assert len(part) == 20_000
        by_key = defaultdict(list)
        for key, n in part:
            by_key[key].append(n)
        assert all(numbers == sorted(numbers) for numbers in by_key.values())


@case
def test_many_sinks_of_one_stream(env):
    stream = env.from_collection(range(50)).rebalance().map(lambda x: x)
    got = yield tuple(stream.filter(lambda x, i=i: x % 10 == i) for i in range(10))
    assert [sorted(part) for part in got] == [list(range(i, 50, 10)) for i in range(10)]


def test_a_source_that_nothing_reads_is_no_part_of_the_job(run):
    env = run.environment()
    env.from_collection(["x"], type_info=Types.INT())  # would fail
    assert run.collect(env.from_collection([1]).map(lambda x: x + 1)) == [2]
