"""Keys of many kinds: what is equal in Python is one key, on whichever subtask it was made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from datastream.testing import case
from tests.support.key_kinds import KINDS


def count(env, keys, parallelism):
    """The final count of each key that was counted, for keys that are made in two subtasks each."""
    pairs = env.from_collection([(key, 1) for key in keys for _ in range(4)]).rebalance().map(lambda p: p)
    return pairs.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).set_parallelism(parallelism)


@case
def test_equal_keys_are_one_key(env):
    kinds = list(KINDS.items())
    got = yield tuple(count(env, [key for equal in keys for key in equal], 3).map(lambda p: p[1]) for _, keys in kinds)
    for (kind, keys), counts in zip(kinds, got, strict=True):
        expected = Counter(n for equal in keys for n in range(1, 4 * len(equal) + 1))
        assert Counter(counts) == expected, kind


@case
def test_keys_come_back_as_they_were(env):
    keys = [key for kind in KINDS.values() for equal in kind for key in equal]
    got = yield env.from_collection(keys).key_by(lambda k: k).map(lambda k: k)
    assert Counter((type(k), k) for k in got) == Counter((type(k), k) for k in keys)


@case
def test_local_class_as_key(env):
    @dataclass(frozen=True)
    class Local:
        n: int

    got = yield count(env, [Local(1), Local(1), Local(2)], 2).map(lambda p: (p[0].n, p[1]))
    assert sorted(got) == [(1, n) for n in range(1, 9)] + [(2, n) for n in range(1, 5)]
