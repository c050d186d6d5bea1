"""Subtasks and key groups: other numbers of them, same records."""

from __future__ import annotations

from collections import Counter

import pytest
from test_partitioners import Where

from datastream import Time, TumblingProcessingTimeWindows, ValidationError
from datastream.testing import case


@case
def test_changes_between_operators(env):
    stream = env.from_sequence(1, 100).map(Where()).set_parallelism(3)
    stream = stream.map(Where()).set_parallelism(1).map(Where()).set_parallelism(4)
    got = yield stream.map(Where())
    assert sorted(r[1][1][1][1] for r in got) == list(range(1, 101))
    assert {r[0] for r in got} == {0, 1}
    assert Counter(r[1][0] for r in got) == {0: 25, 1: 25, 2: 25, 3: 25}
    assert {r[1][1][0] for r in got} == {0}
    assert {r[1][1][1][0] for r in got} <= {0, 1, 2}


@case
def test_one_subtask_keeps_the_order(env):
    stream = env.from_collection(range(100)).map(lambda x: x).force_non_parallel()
    got = yield stream.map(lambda x: x).set_parallelism(1)
    assert got == list(range(100))


@case
def test_keyed_operators_of_different_parallelism(env):
    pairs = env.from_collection(range(300)).rebalance().map(lambda x: (x % 11, 1))
    first = pairs.key_by(lambda p: p[0]).sum(1).set_parallelism(4)
    got = yield first, first.key_by(lambda p: p[0]).max(1).set_parallelism(1)
    for part in got:
        assert dict(sorted(part)) == dict(Counter(x % 11 for x in range(300)))


@case
def test_number_of_key_groups(env):
    pairs = env.from_collection(range(200)).rebalance().map(lambda x: (f"key {x % 50}", 1))
    keyed = pairs.key_by(lambda p: p[0])
    got = yield tuple(
        keyed.sum(1).set_parallelism(min(groups, 3)).set_max_parallelism(groups) for groups in (1, 7, 1000)
    )
    for part in got:
        assert dict(sorted(part)) == {f"key {k}": 4 for k in range(50)}


@case(batch=True)
def test_number_of_key_groups_in_batch(env):
    pairs = env.from_collection(range(200)).rebalance().map(lambda x: (f"key {x % 50}", 1))
    keyed = pairs.key_by(lambda p: p[0])
    got = yield tuple(
        keyed.sum(1).set_parallelism(min(groups, 3)).set_max_parallelism(groups) for groups in (1, 7, 1000)
    )
    for part in got:
        assert sorted(part) == sorted((f"key {k}", 4) for k in range(50))


@case(alone=True)
def test_environment_with_few_key_groups(env):
    env.set_max_parallelism(7)
    env.set_parallelism(3)
    got = (
        yield env.from_collection(range(70))
        .key_by(lambda x: x % 10)
        .map(lambda x: (x % 10, 1))
        .key_by(lambda p: p[0])
        .sum(1)
    )
    assert dict(sorted(got)) == {k: 7 for k in range(10)}


@case(parallelism=1)
def test_a_job_with_one_subtask(env):
    stream = env.from_collection(range(30)).rebalance().map(Where())
    got = yield stream, stream.key_by(lambda p: p[1] % 3).reduce(lambda a, b: b)
    assert got == ([(0, n) for n in range(30)], [(0, n) for n in range(30)])


def test_what_sees_all_records_keeps_its_one_subtask(run):
    stream = run.environment().from_collection([1])
    windows = stream.window_all(TumblingProcessingTimeWindows.of(Time.seconds(1)))
    for one in (stream.map(str).force_non_parallel(), windows.reduce(lambda a, b: a)):
        assert one.set_parallelism(1) is one
        with pytest.raises(ValidationError, match="must be 1"):
            one.set_parallelism(2)
