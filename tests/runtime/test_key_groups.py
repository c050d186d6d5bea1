"""Key groups: equal keys have equal hashes, in this process and in any other."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
from collections import Counter, OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import ValidationError
from datastream.runtime.key_groups import (
    KeyPlacement,
    UnknownEquality,
    groups_of,
    key_group,
    stable_hash,
    stable_hashes,
    subtask_of,
)
from datastream.runtime.pickled_keys import PickledKey, user_key
from tests.support.key_kinds import KINDS, hashes
from tests.support.processes import ROOT

HASHES = (
    "from tests.support.key_kinds import hashes; import pickle, sys; sys.stdout.buffer.write(pickle.dumps(hashes()))"
)

plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False),
)
flat = st.one_of(plain, st.tuples(plain, plain), st.frozensets(plain, max_size=3))
keys = st.one_of(flat, st.tuples(flat, flat))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_keys_have_equal_hashes(kind):
    for equal in KINDS[kind]:
        assert len({key for key in equal}) == 1, "the test's own keys are equal"
        assert len({stable_hash(key) for key in equal}) == 1, equal


@pytest.mark.parametrize("kind", KINDS)
def test_unequal_keys_have_unequal_hashes(kind):
    firsts = [equal[0] for equal in KINDS[kind] if equal[0] != -2]  # hash(-1) == hash(-2)
    assert len({stable_hash(key) for key in firsts}) == len(firsts)


@given(st.one_of(st.lists(st.integers()), st.lists(st.text()), st.lists(flat)))
def test_many_keys_have_the_hashes_of_each(keys):
    assert list(stable_hashes(keys)) == [stable_hash(key) for key in keys]


def test_hashes_do_not_depend_on_the_process():
    here = hashes()
    for seed in ("1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        environment["PYTHONPATH"] = str(ROOT)
        there = subprocess.run([sys.executable, "-c", HASHES], env=environment, check=True, capture_output=True)
        assert pickle.loads(there.stdout) == here


@given(keys)
def test_a_copy_of_a_key_has_its_hash(key):
    copy = pickle.loads(pickle.dumps(key))
    assert stable_hash(key) == stable_hash(copy)
    assert 0 <= stable_hash(key) < 1 << 64


@given(keys, keys)
def test_equality_carries_over(a, b):
    if a == b:
        assert stable_hash(a) == stable_hash(b)


@pytest.mark.parametrize("key", [[1], {"a": 1}, {1}, ([1],), bytearray(b"a"), OrderedDict()])
def test_the_equality_of_unhashable_keys_is_not_known(key):
    with pytest.raises(UnknownEquality, match="which values equal .* is known to it alone"):
        stable_hash(key)


class Point:
    """Knows itself which others equal it."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


ODD = [[1], {"a": 1}, {"a", "b"}, ([1],), bytearray(b"a"), Point(1), (Point(1), "a"), [["a", "b"], {1: {"a", "b"}}]]


@pytest.mark.parametrize("key", [*ODD, math.nan])
def test_keys_of_unknown_equality_are_known_by_their_pickles(key):
    placement = KeyPlacement(3, 128)
    found, again, other = placement.known([key, copy.deepcopy(key), "other"])
    assert type(found) is PickledKey and found == again and hash(found) == hash(again) and other == "other"
    assert placement[found] == placement[again] == placement[pickle.loads(pickle.dumps(found))]
    assert user_key(found) is user_key(found)
    assert pickle.dumps(user_key(pickle.loads(pickle.dumps(found)))) == pickle.dumps(user_key(found))
    assert key != key or user_key(found) == key


def test_other_keys_stay_as_they_are():
    keys = ["a", 1, 1.5, None, (1, "a"), b"a"]
    assert KeyPlacement(2, 128).known(keys) is keys


@pytest.mark.parametrize(("a", "b"), [([1], [2]), ([1], (1,)), ({1}, frozenset({1})), ([1], [1.0]), ([1], "[1]")])
def test_pickles_that_differ_are_two_keys(a, b):
    found = KeyPlacement(3, 128).known([[a], [b]])
    assert found[0] != found[1]


def test_a_key_that_cannot_be_pickled_is_refused():
    with pytest.raises(ValidationError, match="the key .* cannot be pickled"):
        KeyPlacement(3, 128).known([[lambda: 1]])


@given(st.integers(1, 300), st.data())
def test_subtasks_share_out_the_key_groups(groups, data):
    parallelism = data.draw(st.integers(1, groups))
    owned = [groups_of(subtask, parallelism, groups) for subtask in range(parallelism)]
    assert [g for some in owned for g in some] == list(range(groups))
    for subtask, some in enumerate(owned):
        assert some and all(subtask_of(g, parallelism, groups) == subtask for g in some)
    assert max(map(len, owned)) - min(map(len, owned)) <= 1


def test_keys_spread_over_all_groups():
    counts = Counter(key_group(stable_hash(n), 128) for n in range(128_00))
    assert len(counts) == 128
    assert max(counts.values()) < 150


def test_placement_forgets_and_stays_true(monkeypatch):
    monkeypatch.setattr(KeyPlacement, "LIMIT", 10)
    placement = KeyPlacement(3, 128)
    expected = [subtask_of(stable_hash(n) % 128, 3, 128) for n in range(100)]
    assert [placement[n] for n in range(100)] == expected
    assert len(placement) <= 10
