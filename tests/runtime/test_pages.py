"""Keyed state in pages, against a dict."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from datastream.local.executor import DictStore
from datastream.runtime.pages import SPLIT, PagedState

keys = st.one_of(st.integers(-50, 50), st.text(max_size=2), st.tuples(st.integers(0, 3), st.none()), st.none())
batches = st.lists(st.lists(st.tuples(keys, st.integers()), max_size=60), max_size=8)


def run(state, model, batch):
    """One epoch: add each value to its key's."""
    state.load({key for key, _ in batch})
    for key, n in batch:
        assert state.values.get(key) == model.get(key)
        state.values[key] = model[key] = model.get(key, 0) + n
    state.flush()


@given(batches, st.sampled_from([1, 7, 128]))
def test_state_is_a_dict(batches, groups):
    store, model = DictStore(), {}
    for batch in batches:
        run(PagedState(store, "uid", groups), model, batch)
    assert dict(PagedState(store, "uid", groups).items(range(groups))) == model


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.lists(st.integers(1, 1500), min_size=1, max_size=6))
def test_pages_split_as_keys_come(seed, groups, sizes):
    chosen, store, model = random.Random(seed), DictStore(), {}
    state = PagedState(store, "uid", groups)  # one object for several epochs
    for size in sizes:
        run(state, model, [(chosen.randrange(3000), 1) for _ in range(size)])
    found = list(state.items(range(groups)))
    assert len(found) == len(model)
    assert dict(found) == model


def test_a_group_of_many_keys_has_many_pages():
    store, model = DictStore(), {}
    for start in range(0, 2000, 500):
        run(PagedState(store, "uid", 1), model, [(f"key {n}", 1) for n in range(start, start + 500)])
    assert len(store.entries) >= 2000 // SPLIT
    run(PagedState(store, "uid", 1), model, [("key 17", 5), ("key 1999", 5), ("new", 1)])
    assert dict(PagedState(store, "uid", 1).items([0])) == model


def test_only_touched_pages_are_written():
    store, model = DictStore(), {}
    run(PagedState(store, "uid", 1), model, [(n, 1) for n in range(2000)])
    before = dict(store.entries)
    run(PagedState(store, "uid", 1), model, [(17, 1)])
    assert sum(before[key] != value for key, value in store.entries.items()) == 1


def test_operators_do_not_see_each_other():
    store = DictStore()
    run(PagedState(store, "one", 4), {}, [("a", 1)])
    run(PagedState(store, "two", 4), {}, [("a", 2)])
    assert dict(PagedState(store, "one", 4).items(range(4))) == {"a": 1}
    assert dict(PagedState(store, "two", 4).items(range(4))) == {"a": 2}


def test_equal_keys_share_a_value():
    store, model = DictStore(), {}
    run(PagedState(store, "uid", 128), model, [(True, 1)])
    run(PagedState(store, "uid", 128), model, [(1, 1), (1.0, 1)])
    assert list(PagedState(store, "uid", 128).items(range(128))) == [(True, 3)]


def test_loading_a_key_that_is_not_there_writes_nothing():
    store = DictStore()
    state = PagedState(store, "uid", 128)
    state.load(["a"])
    assert state.values == {}
    state.flush()
    assert list(PagedState(store, "uid", 128).items(range(128))) == []


def test_values_that_stay_as_they_are_are_not_written():
    store, model = DictStore(), {}
    run(PagedState(store, "uid", 8), model, [(n, 1) for n in range(1000)])
    written, put = [], store.put
    store.put = lambda entries: (written.extend(entries), put(entries))
    state = PagedState(store, "uid", 8)
    state.load(range(1000))
    state.values[5] += 0
    state.flush()
    assert written == []
    run(state, model, [(5, 1)])
    assert len(written) == 1


def test_a_value_changed_in_place_is_written():
    store = DictStore()
    state = PagedState(store, "uid", 8)
    state.load(["a"])
    state.values["a"] = [1]
    state.flush()
    state.load(["a"])
    state.values["a"].append(2)
    state.flush()
    assert list(PagedState(store, "uid", 8).items(range(8))) == [("a", [1, 2])]
