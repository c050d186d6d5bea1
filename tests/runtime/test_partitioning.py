"""Partitioners place every record, once (broadcast: everywhere), in order, where they should."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream import ValidationError
from datastream.graph import Broadcast, Custom, Forward, Global, Hash, Rebalance, Rescale, Shuffle
from datastream.runtime.key_groups import KeyPlacement, stable_hash, subtask_of
from datastream.runtime.partitioning import placement
from datastream.runtime.pickled_keys import user_key

PARTITIONERS = [Rebalance(), Rescale(), Shuffle(), Global(), Forward(), Hash(None), Custom(lambda k, n: k % n, None)]
counts = st.integers(1, 12)
blocks = st.lists(st.lists(st.integers(), max_size=40), max_size=4)


def place(partitioner, blocks, subtask=0, upstream=1, targets=2, epoch=0, timed=False):
    """Target -> records, in the order they were sent; each record is its own key."""
    keyed = isinstance(partitioner, (Hash, Custom))
    to = placement(partitioner, subtask, upstream, targets, epoch, KeyPlacement(targets, 128))
    out = defaultdict(list)
    for block in blocks:
        times = [hash(record) for record in block] if timed else None
        for target, (records, keys, their_times) in to((list(block), list(block) if keyed else None, times)):
            assert not timed or list(their_times) == [hash(record) for record in records]
            assert not isinstance(partitioner, Hash) or list(keys) == list(records)
            out[target] += records
    return dict(out)


@given(
    st.sampled_from(PARTITIONERS),
    st.lists(st.lists(st.integers(), max_size=40), max_size=4),
    counts,
    counts,
    st.booleans(),
    st.data(),
)
def test_every_record_once_and_in_order(partitioner, blocks, upstream, targets, timed, data):
    subtask = data.draw(st.integers(0, upstream - 1))
    numbered = [[(n, i) for i, n in enumerate(block)] for block in blocks]
    if isinstance(partitioner, Custom):
        partitioner = Custom(lambda k, n: k[0] % n, None)
    found = place(partitioner, numbered, subtask, upstream, targets, timed=timed)
    assert all(0 <= target < targets for target in found)
    assert Counter(r for some in found.values() for r in some) == Counter(r for block in numbered for r in block)
    for b, block in enumerate(numbered):
        for some in place(partitioner, [block], subtask, upstream, targets).values():
            assert [i for _, i in some] == sorted(i for _, i in some), b


@given(st.lists(st.integers(), max_size=40), counts)
def test_broadcast_is_everywhere(block, targets):
    assert place(Broadcast(), [block], targets=targets) == (
        {t: block for t in range(targets)} if block else {t: [] for t in range(targets)}
    )


@given(st.lists(st.integers(1, 50), max_size=6), counts, counts, st.data())
def test_rebalance_is_even_over_blocks(sizes, upstream, targets, data):
    subtask = data.draw(st.integers(0, upstream - 1))
    found = place(Rebalance(), [range(n) for n in sizes], subtask, upstream, targets)
    shares = [len(found.get(t, [])) for t in range(targets)]
    assert max(shares) - min(shares) <= 1


@given(counts, counts)
def test_rescale_covers_all_targets_with_neighbours(upstream, targets):
    reached = [sorted(place(Rescale(), [range(100)], s, upstream, targets)) for s in range(upstream)]
    assert set(sum(reached, [])) == set(range(targets))
    if targets >= upstream:
        assert sum(map(len, reached)) == targets  # nobody shares a target
    else:
        assert all(len(some) == 1 for some in reached)


@given(st.lists(st.integers(), max_size=100), counts, st.integers(0, 5))
def test_a_replayed_shuffle_repeats_itself(block, targets, epoch):
    assert place(Shuffle(), [block], targets=targets, epoch=epoch) == place(
        Shuffle(), [block], targets=targets, epoch=epoch
    )


@given(st.lists(st.one_of(st.integers(), st.text(), st.none()), max_size=100), counts)
def test_hash_follows_the_key_groups(block, targets):
    for target, records in place(Hash(None), [block], targets=targets).items():
        assert all(subtask_of(stable_hash(r) % 128, targets, 128) == target for r in records)


@pytest.mark.parametrize("answer", [1, True, 1.7, np.int64(1)])
def test_a_partitioner_with_any_number(answer):
    assert place(Custom(lambda key, n: answer, None), [[5]], targets=2)[1] == [5]


@pytest.mark.parametrize("answer", [-1, 2, 99, 2.0, "1", None, float("nan")])
def test_a_partitioner_out_of_range(answer):
    with pytest.raises(ValidationError, match=f"returned {answer!r} for key 5; expected a subtask index from 0 to 1"):
        place(Custom(lambda key, n: answer, None), [[5]])


@pytest.mark.parametrize("targets", [1, 2, 3, 20])
def test_unhashable_keys_that_are_equal_go_to_one_target(targets):
    block = [[1], [2], [1]]
    placed: dict[int, list[list[int]]] = {}
    for target, (records, keys, _) in placement(Hash(None), 0, 1, targets, 0, KeyPlacement(targets, 128))(
        (block, list(block), None)
    ):
        assert [user_key(key) for key in keys] == records
        placed.setdefault(target, []).extend(records)
    assert sorted(map(repr, sum(placed.values(), []))) == ["[1]", "[1]", "[2]"]
    assert [1] in [target for target in placed.values() if target.count([1]) == 2][0]
