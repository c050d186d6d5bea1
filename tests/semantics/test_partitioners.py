"""Partitioners: each record really runs in the subtask that it was sent to."""

from __future__ import annotations

from collections import Counter, defaultdict

from datastream import MapFunction, Partitioner
from datastream.testing import case


class Where(MapFunction):
    """record -> (subtask, record)"""

    def open(self, runtime_context):
        self.context = runtime_context

    def map(self, value):
        return self.context.get_index_of_this_subtask(), value


class Last(Partitioner):
    def partition(self, key, num_partitions):
        return num_partitions - 1


N = 120


def spread(env, parallelism=2):
    """Numbers in all subtasks: (subtask, number)."""
    return env.from_sequence(0, N - 1).map(Where()).set_parallelism(parallelism)


@case
def test_rebalance_is_even(env):
    got = yield env.from_collection(range(N)).rebalance().map(Where()).set_parallelism(4)
    assert Counter(where for where, _ in got) == {0: 30, 1: 30, 2: 30, 3: 30}
    assert sorted(n for _, n in got) == list(range(N))


@case
def test_rebalance_keeps_the_order_between_two_subtasks(env):
    got = yield env.from_collection(range(N)).rebalance().map(Where())
    for subtask in (0, 1):
        numbers = [n for where, n in got if where == subtask]
        assert numbers == sorted(numbers)


@case
def test_rescale_to_more_reaches_the_own_ones(env):
    got = yield spread(env).rescale().map(Where()).set_parallelism(4)
    targets = defaultdict(set)
    for where, (sender, _) in got:
        targets[sender].add(where)
    assert targets == {0: {0, 1}, 1: {2, 3}}
    assert sorted(n for _, (_, n) in got) == list(range(N))


@case
def test_rescale_to_fewer(env):
    got = yield env.from_collection(range(N)).rebalance().map(Where()).set_parallelism(4).rescale().map(Where())
    assert {(sender, where) for where, (sender, _) in got} == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert sorted(n for _, (_, n) in got) == list(range(N))


@case
def test_shuffle_loses_nothing(env):
    got = yield env.from_collection(range(N)).shuffle().map(Where()).set_parallelism(3)
    assert sorted(n for _, n in got) == list(range(N))
    assert {where for where, _ in got} == {0, 1, 2}


@case
def test_broadcast_copies_to_every_subtask(env):
    got = yield spread(env).broadcast().map(Where()).set_parallelism(3)
    assert Counter((where, n) for where, (_, n) in got) == {(w, n): 1 for w in range(3) for n in range(N)}


@case
def test_global_goes_to_the_first(env):
    got = yield spread(env).global_().map(Where())
    assert {where for where, _ in got} == {0}
    assert sorted(n for _, (_, n) in got) == list(range(N))


@case
def test_partition_custom_goes_where_told(env):
    told = spread(env).partition_custom(lambda key, n: key % n, lambda p: p[1]).map(Where()).set_parallelism(3)
    last = spread(env).partition_custom(Last(), lambda p: p[1]).map(Where())
    got = yield told, last
    assert sorted((n, where) for where, (_, n) in got[0]) == [(n, n % 3) for n in range(N)]
    assert {where for where, _ in got[1]} == {1}


@case
def test_forward_stays(env):
    got = yield spread(env).forward().map(Where()), spread(env).map(Where()).disable_chaining().map(Where())
    assert all(where == sender for where, (sender, _) in got[0])
    assert all(first == second == third for first, (second, (third, _)) in got[1])


@case
def test_hash_brings_a_key_to_one_subtask(env):
    at_map = spread(env).key_by(lambda p: p[1] % 10).map(Where())
    got = yield at_map, spread(env).key_by(lambda p: str(p[1] % 10)).reduce(lambda a, b: b).map(Where())
    for part in got:
        places = defaultdict(set)
        for where, (_, n) in part:
            places[n % 10].add(where)
        assert len(places) == 10 and all(len(where) == 1 for where in places.values())
        assert {w for where in places.values() for w in where} == {0, 1}


@case
def test_each_of_several_sources_keeps_to_its_own_subtasks(env):
    got = yield tuple(spread(env, n % 2 + 1).rescale().map(Where()).set_parallelism(4) for n in range(4))
    for n, part in enumerate(got):
        assert {where for where, _ in part} == {0, 1, 2, 3}
        assert {sender for _, (sender, _) in part} == set(range(n % 2 + 1))
        assert sorted(number for _, (_, number) in part) == list(range(N))


@case
def test_one_after_the_other(env):
    got = yield spread(env).broadcast().map(lambda p: p[1]).global_().map(lambda n: n).rebalance().map(Where())
    assert Counter(n for _, n in got) == {n: 2 for n in range(N)}
    assert set(Counter(where for where, _ in got).values()) == {N}


@case
def test_partitioner_before_a_sink(env):
    stream = env.from_collection(range(20))
    got = yield stream.rebalance(), stream.broadcast(), stream.global_(), stream.key_by(lambda x: x)
    assert [len(part) for part in got] == [20, 40, 20, 20]
