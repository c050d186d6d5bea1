"""Key groups in runs, against a dict."""

from __future__ import annotations

import os
import random
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datastream.errors import CheckpointDamaged
from datastream.local.executor import DictStore
from datastream.metrics import Kept
from datastream.runtime import pages, run_groups
from datastream.runtime.hosts.relational.paged_host import ExpiringPages, RemovablePages
from datastream.runtime.meter import MeteredStore
from datastream.runtime.pages import PagedState
from datastream.runtime.runs import newest, pairs_of
from datastream.runtime.state_format.layout import is_run

GROUPS = 3
keys = st.one_of(st.integers(-30, 30), st.text(max_size=1), st.tuples(st.integers(0, 3), st.none()), st.none())
#: By epoch: each key with what is added to its value; None takes the key out.
programs = st.lists(st.lists(st.tuples(keys, st.none() | st.integers()), max_size=60), max_size=8)


class Copying(DictStore):
    """A store of which copies are kept."""

    def __init__(self, copies):
        super().__init__()
        self.copies = copies
        self.read = []

    def get(self, keys):
        self.read += filter(is_run, keys)
        return super().get(keys)


@pytest.fixture(autouse=True)
def soon_in_runs(monkeypatch):
    monkeypatch.setattr(pages, "SPLIT", 4)
    monkeypatch.setattr(pages, "MOST_BITS", 0)
    monkeypatch.setattr(run_groups, "PIECE", 100)


def run(store, model, program):
    state = RemovablePages(store, "uid", GROUPS)
    for start in range(0, len(program), 10):
        some = program[start : start + 10]
        state.load({key for key, _ in some}.difference(state.values))
        for key, n in some:
            before = state.values.get(key)
            assert before == model.get(key)
            state.values[key] = None if n is None else (before or 0) + n
            if n is None:
                model.pop(key, None)
            else:
                model[key] = state.values[key]
    state.flush()
    store.commit()


def stored(store):
    found = list(PagedState(store, "uid", GROUPS).items(range(GROUPS)))
    assert len(found) == len(dict(found))
    return dict(found)


@settings(deadline=None)
@given(programs)
def test_state_is_a_dict(program):
    store, model = DictStore(), {}
    for epoch in program:
        run(store, model, epoch)
        assert stored(store) == model


@settings(deadline=None)
@given(programs)
def test_keys_of_one_number(program):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_groups, "numbers_of", lambda groups, hashes: groups << 48 | hashes % 3)
        store, model = DictStore(), {}
        for epoch in program:
            run(store, model, epoch)
            assert stored(store) == model


def fill(store, model, count=500):
    run(store, model, [(n, 1) for n in range(count)])
    run(store, model, [(n, 1) for n in range(0, count, 50)])
    run(store, model, [(n, None) for n in range(0, count, 70)])


def values_of(store, group):
    pieces = [item for item in store.entries.items() if is_run(item[0]) and item[0][8:12] == bytes([0, 0, 0, group])]
    return newest(random.sample(pieces, len(pieces)))


def test_entries_have_all_that_is_kept():
    store, model = DictStore(), {}
    fill(store, model)
    found = {}
    for group in range(GROUPS):
        pieces = [
            item for item in store.entries.items() if is_run(item[0]) and item[0][8:12] == bytes([0, 0, 0, group])
        ]
        found.update(pairs_of(newest(random.sample(pieces, len(pieces)))))
    assert found == model


def test_few_runs_and_short_ones_are_written(monkeypatch):
    monkeypatch.setattr(run_groups, "PIECE", 1 << 19)
    store, model = DictStore(), {}
    run(store, model, [(n, 1) for n in range(3000)])
    for n in range(100):
        before = dict(store.entries)
        run(store, model, [(7 * n, 1), (7 * n + 1, 1)])
        written = sum(len(content) for key, content in store.entries.items() if before.get(key) != content)
        if n % 20 == 5:
            assert written < 2000
    assert stored(store) == model
    assert sum(map(is_run, store.entries)) < 10 * GROUPS


def test_what_is_all_gone_leaves_nothing():
    store, model = DictStore(), {}
    fill(store, model)
    run(store, model, [(n, None) for n in range(500)])
    assert not store.entries
    fill(store, model)
    assert stored(store) == model


def test_copies_are_read_in_place_of_the_store(tmp_path):
    store, model = Copying(tmp_path / "copies"), {}
    fill(store, model)
    assert stored(store) == model
    assert not store.read
    assert (tmp_path / "copies").stat().st_mode & 0o077 == 0
    assert len(set((tmp_path / "copies").iterdir()) - {tmp_path / "copies" / "looked"}) == len(
        {key[:32] for key in store.entries if is_run(key)}
    )


def test_copies_of_an_attempt_that_failed_are_not_read(tmp_path):
    store, model = Copying(tmp_path), {}
    fill(store, model)
    run_twice = [(n, 1) for n in range(0, 500, 3)]
    state = RemovablePages(store, "uid", GROUPS)
    state.load([n for n, _ in run_twice])
    for n, _ in run_twice:
        state.values[n] = "of the attempt that failed"
    state.flush()
    store.roll_back()
    run(store, model, run_twice)
    assert stored(store) == model


@pytest.mark.parametrize("what", ["gone", "cut off", "other bytes", "no place"])
def test_without_copies_the_store_is_read(tmp_path, what):
    folder = tmp_path / "copies"
    store, model = Copying(folder), {}
    if what == "no place":
        folder.write_text("a file")
    fill(store, model)
    for copy in [] if what == "no place" else folder.glob("*[0-9a-f]"):
        if what == "gone":
            copy.unlink()
        else:
            copy.write_bytes(copy.read_bytes()[:-1] if what == "cut off" else bytes(copy.stat().st_size))
    assert stored(store) == model
    assert store.read


@pytest.mark.parametrize("damage", ["missing", "shorter", "numbers"])
def test_damage_is_told(damage):
    store, model = DictStore(), {}
    fill(store, model)
    key = next(key for key in sorted(store.entries) if is_run(key))
    content = store.entries[key]
    if damage == "missing":
        del store.entries[key]
    else:
        store.entries[key] = content[:-1] if damage == "shorter" else content[:19] + bytes(40) + content[59:]
    with pytest.raises(CheckpointDamaged, match="the job's state is damaged: a run of keys .* is not what was written"):
        stored(store)


def test_what_has_expired_goes_though_nobody_asks_for_it():
    store, total = DictStore(), Kept()
    for epoch in range(200):
        state = ExpiringPages(MeteredStore(store), "uid", GROUPS, 100, partial(int, 10 * epoch))
        state.load(range(20 * epoch, 20 * epoch + 20))
        state.values.update({n: 1 for n in range(20 * epoch, 20 * epoch + 20)})
        state.flush()
        total = total.plus(state.change)
    found = stored(store)
    assert 200 <= len(found) < 1000
    assert total.keys == len(found)
    assert total.bytes == sum(len(value) for group in range(GROUPS) for value in values_of(store, group))


def test_two_attempts_at_an_epoch_write_the_same():
    entries = []
    for _ in range(2):
        store = DictStore()
        fill(store, {})
        entries.append(store.entries)
    assert entries[0] == entries[1]


def test_few_keys_with_large_values_stay_in_pages(monkeypatch):
    monkeypatch.setattr(pages, "SPLIT", 256)
    monkeypatch.setattr(pages, "MOST_BITS", 2)
    store = DictStore()
    for epoch in range(4):
        state = PagedState(store, "uid", 1)
        state.load(range(30))
        state.values.update({n: bytes([epoch]) * 50_000 for n in range(30)})
        state.flush()
    assert len(store.entries) > 15
    assert not any(map(is_run, store.entries))


def test_a_group_in_many_pages_moves_to_runs(monkeypatch):
    store, model = DictStore(), {}
    monkeypatch.setattr(pages, "MOST_BITS", 9)
    fill(store, model)
    assert not any(map(is_run, store.entries))
    monkeypatch.setattr(pages, "MOST_BITS", 2)
    run(store, model, [(n, 1) for n in range(9)])
    assert len([key for key in store.entries if not is_run(key)]) == GROUPS
    assert stored(store) == model


def test_a_group_of_which_most_is_read_in_vain_moves_to_runs(monkeypatch):
    store, model = DictStore(), {}
    monkeypatch.setattr(pages, "SPLIT", 256)
    monkeypatch.setattr(pages, "MOST_BITS", 9)
    size = 200
    monkeypatch.setattr(pages, "IN_VAIN", size)
    for _ in range(3):  # all keys that are there are asked for
        run(store, model, [(n, 1) for n in range(300)])
    assert not any(map(is_run, store.entries))
    assert all(len(data) > size for data in store.entries.values())
    run(store, model, [(n, 1) for n in range(300, 600)])
    assert len([key for key in store.entries if not is_run(key)]) == GROUPS
    assert any(map(is_run, store.entries))
    assert stored(store) == model


@settings(deadline=None)
@given(programs)
def test_state_is_a_dict_in_pages_and_runs(program):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "SPLIT", 10)
        patch.setattr(pages, "MOST_BITS", 9)
        patch.setattr(pages, "IN_VAIN", 60)
        store, model = DictStore(), {}
        for epoch in program:
            run(store, model, epoch)
            assert stored(store) == model


def test_copies_that_nothing_opens_are_removed(tmp_path):
    store, model = Copying(tmp_path), {}
    fill(store, model)
    old, new = tmp_path / "1", tmp_path / "2"
    for path in (old, new):
        path.touch()
    for path in (old, tmp_path / "looked"):
        os.utime(path, (0, 0))
    run(store, model, [(1, 1)])
    assert new.exists() and not old.exists()
    assert stored(store) == model
    assert not store.read
