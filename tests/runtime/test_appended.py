"""Logs by key group, against lists; sides of joins, against dicts."""

from __future__ import annotations

import random
from collections import Counter
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datastream.errors import CheckpointError
from datastream.runtime import appended
from datastream.runtime.appended import AppendedState
from datastream.runtime.hosts.relational import join_side
from datastream.runtime.hosts.relational.join_side import JoinSide
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.state_format import decode, encode
from datastream.runtime.state_format.records import APPENDED_HEAD, PART, Record
from datastream.types.pickles import dumps, dumps_plain, trace_of
from tests.support.keyed_harness import MemoryStore

GROUPS = range(4)
logs = st.tuples(st.sampled_from(GROUPS), st.integers(-(2**40), 2**40) | st.sampled_from([0, 1]))


def frames_as_pairs(frames: list[Any]) -> list[tuple[Any, Any]]:
    return [pair for keys, values in frames for pair in zip(keys, values, strict=True)]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.tuples(logs, st.integers(0, 40), st.booleans()), max_size=5), max_size=40), st.booleans())
def test_logs_are_lists(epochs: list[Any], reads: bool) -> None:
    store, model = MemoryStore(), {}
    kept = 0
    for epoch in epochs:
        state = AppendedState(store, "uid")
        if reads:
            state.read(state.buckets(GROUPS))
        for log, number, goes in epoch:
            if goes:
                state.remove(log)
                model.pop(log, None)
            pairs = [(n, str(n)) for n in range(number)]
            state.add(log, ([key for key, _ in pairs], [value for _, value in pairs]))
            if pairs:
                model.setdefault(log, []).extend(pairs)
        state.flush()
        kept += state.change.keys
    state = AppendedState(store, "uid")
    assert set(state.buckets(GROUPS)) == set(model)
    assert {log: frames_as_pairs(frames) for log, frames in state.read(model).items()} == model
    assert kept == state.kept(GROUPS).keys == sum(map(len, model.values()))


def test_entries_that_are_put_together_become_fewer() -> None:
    def added(frames: list[Any], oldest: bool) -> Any:
        sums: Counter[str] = Counter()
        for key, value in frames_as_pairs(frames):
            sums[key] += value
        return list(sums), list(sums.values())

    store = MemoryStore()
    for _ in range(200):
        state = AppendedState(store, "uid", added)
        state.add((0, 5), (["a", "b"], [1, 2]))
        state.flush()
    state = AppendedState(store, "uid", added)
    found = state.read([(0, 5)])[0, 5]
    assert sum(len(keys) for keys, _ in found) <= 2 * 2 * appended.FAN
    assert added(found, True) == (["a", "b"], [200, 400])


def test_entries_that_become_none_are_not_stored() -> None:
    store = MemoryStore()
    for number in (1, 0):
        side = JoinSide(True, 4)
        side.begin(store, "uid", GROUPS)
        side.load(range(4000))
        for key in range(4000):
            side.count(key, (key, "row"), number)
        side.flush()
    assert not store.entries


def test_to_add_is_not_to_read() -> None:
    store, reads = MemoryStore(), []
    for epoch in range(300):
        state = AppendedState(store, "uid")
        state.add((0, 1), ([epoch], [epoch]))
        store.read.clear()
        state.flush()
        reads.append(len(store.read))
    assert sum(reads) / len(reads) < 2.5, "the head, and seldom chunks"
    assert len(store.entries) < 3 * appended.FAN
    assert frames_as_pairs(AppendedState(store, "uid").read([(0, 1)])[0, 1]) == [(n, n) for n in range(300)]


@pytest.mark.parametrize("plain_keys", [False, True])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_side_is_a_dict(seed: int, counted: bool, plain_keys: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some epochs only add, some read at once, some in between; key groups are divided."""
    monkeypatch.setattr(join_side, "_LARGE", 200)
    monkeypatch.setattr(join_side, "_SHARE", 50)
    monkeypatch.setattr(appended, "_TRACES", (appended._TRACES, 100)[seed % 2])
    draw, store = random.Random(seed), MemoryStore()
    side, model = JoinSide(counted, 4, plain_keys=plain_keys), {}
    for _ in range(25):
        side.begin(store, "uid", GROUPS)
        for _ in range(draw.randrange(4)):
            keys = [draw.randrange(60) for _ in range(draw.randrange(1, 40))]
            if counted or draw.random() < 0.4:
                side.load(keys)
                assert {key: shown(side.rows.get(key)) for key in keys} == {key: model.get(key, {}) for key in keys}
            rows = [(draw.randrange(5), "x") for _ in keys]
            if not counted:
                side.add(keys, rows)
                for key, row in zip(keys, rows, strict=True):
                    model.setdefault(key, Counter())[row] += 1
                continue
            for key, row in zip(keys, rows, strict=True):
                number = draw.randrange(3)
                side.count(key, row, number)
                model.setdefault(key, Counter())[row] = number
                model[key] = +model[key]
        if draw.random() < 0.9:
            side.flush()
            committed = {key: Counter(rows) for key, rows in model.items()}
        else:  # the epoch fails
            model = {key: Counter(rows) for key, rows in committed.items()} if store.entries else {}
    side.begin(store, "uid", GROUPS)
    found = {key: shown(rows) for group in GROUPS for key, rows in side.group(group).items()}
    assert found == {key: rows for key, rows in model.items() if rows}
    assert len(AppendedState(store, "uid").buckets(GROUPS)) > len(GROUPS)


def shown(rows: Any) -> Counter[Any]:
    return Counter(rows or ())


def test_small_logs_lie_in_one_entry() -> None:
    store = MemoryStore()
    state = AppendedState(store, "uid")
    for end in range(300):
        state.add((2, end), ([end], ["x"]))
    state.flush()
    assert len(store.entries) == 1
    state = AppendedState(store, "uid")
    state.add((2, 7), (list(range(2000)), ["y"] * 2000))
    state.flush()
    assert len(store.entries) == 2
    state = AppendedState(store, "uid")
    assert frames_as_pairs(state.read([(2, 7)])[2, 7]) == [(7, "x"), *((n, "y") for n in range(2000))]
    for log in state.buckets([2]):
        state.remove(log)
    state.flush()
    assert not store.entries


def test_logs_without_a_key_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[Any] = []
    monkeypatch.setattr(appended, "decode", lambda *entry: decoded.append(entry[0]) or decode(*entry))
    store = MemoryStore()
    side = JoinSide(False, 4, plain_keys=True)
    side.begin(store, "uid", GROUPS)
    side.add([f"key {n}" for n in range(4000)], [("row",)] * 4000)
    side.flush()
    side.begin(store, "uid", GROUPS)
    side.load(["another", "and one more"])
    assert not side.rows
    assert PART not in decoded
    side.load(["key 7", "another"])
    assert side.rows["key 7"] == [("row",)]
    assert PART in decoded


@pytest.mark.parametrize("key", [lambda n: n, lambda n: f"é {n}", lambda n: n << 40], ids=["int", "text", "large"])
def test_logs_without_a_key_are_not_read(key: Any) -> None:
    store = MemoryStore()
    side = JoinSide(False, 4, plain_keys=True)
    for start in range(0, 4000, 1000):
        side.begin(store, "uid", GROUPS)
        side.add([key(n) for n in range(start, start + 1000)], [("a wide row" * 10,)] * 1000)
        side.flush()
    store.read.clear()
    side.begin(store, "uid", GROUPS)
    side.load([key(n) for n in range(10_000, 11_000)])
    assert not side.rows
    assert len(store.read) == len(GROUPS), "the heads"
    side.load([key(7), key(10_000)])
    assert side.rows[key(7)] == [("a wide row" * 10,)]
    assert key(10_000) not in side.rows


@pytest.mark.parametrize(
    ("key", "trace"),
    [
        *((None, 0), (0, 0), (7, 283524), (-8, 283524), (1 << 40, 2979936121)),
        *(("", 0), ("é 7", 3190585782), ("\ud800", 499426600)),
    ],
)
def test_traces_stay_as_they_are_stored(key: Any, trace: int) -> None:
    store = MemoryStore()
    logs = AppendedState(store, "uid", traced=True)
    logs.add((0, 1), ([key], ["row"]))
    logs.flush()
    (data,) = store.entries.values()
    assert decode(APPENDED_HEAD, data)[1][0][4] == trace.to_bytes(4, "little")


def test_heads_have_traces_of_so_many_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appended, "_TRACES", 4 * 100)
    store = MemoryStore()
    for epoch in range(20):
        logs = AppendedState(store, "uid", traced=True)
        for bucket, number in ((1, 10), (2, 30), (3, 2)):
            logs.add((0, bucket), ([epoch * 100 + n for n in range(number)], ["row"] * number))
        logs.flush()
    head = decode(APPENDED_HEAD, next(data for data in store.entries.values() if data.startswith(APPENDED_HEAD.header)))
    traces = [[chunk[4] for chunk in chunks] for _, chunks in sorted(head.items())]
    assert traces[:2] == [[None] * len(traces[0]), [None] * len(traces[1])], "not all have fitted, so none are kept"
    assert sum(map(len, traces[2])) == 4 * 2 * 20
    logs = AppendedState(store, "uid", traced=True)
    assert logs.possible((0, 1), [55, 5]) == {55, 5}
    assert logs.possible((0, 3), [55, 1901, 1]) == {1901, 1}


@pytest.mark.parametrize("traces", [b"abc", b"", b"abcdefgh"])
def test_damaged_traces_are_an_error(traces: bytes) -> None:
    store = MemoryStore()
    logs = AppendedState(store, "uid", traced=True)
    logs.add((0, 1), ([5], ["row"]))
    logs.flush()
    ((entry, data),) = store.entries.items()
    store.entries[entry] = encode(APPENDED_HEAD, {1: [(*decode(APPENDED_HEAD, data)[1][0][:4], traces)]})
    with pytest.raises(
        CheckpointError, match=f"damaged: a head of logs has {len(traces)} bytes for the keys of 1 entries"
    ):
        AppendedState(store, "uid", traced=True).possible((0, 1), [5])


def test_keys_of_other_types_have_no_traces() -> None:
    """What a job of an earlier form has kept under the same uid."""
    store = MemoryStore()
    for key in (5, (5, "x"), 6):
        logs = AppendedState(store, "uid", traced=True)
        logs.add((0, 1), ([key], ["row"]))
        logs.flush()
    assert AppendedState(store, "uid", traced=True).possible((0, 1), [5, 7]) == {5, 7}


def test_heads_without_traces_are_read() -> None:
    """Those of state format 3."""
    store = MemoryStore()
    logs = AppendedState(store, "uid")
    for group in GROUPS:
        keys = [n for n in range(100) if stable_hash(n) % len(GROUPS) == group]
        logs.add((group, appended.FIRST_BUCKET), (keys, [("row", "x" * 50)] * len(keys)))
    logs.flush()
    for entry, data in store.entries.items():
        if data.startswith(APPENDED_HEAD.header):
            head = decode(APPENDED_HEAD, data)
            shorter = {bucket: [chunk[:4] for chunk in chunks] for bucket, chunks in head.items()}
            assert head == {bucket: [(*chunk, None) for chunk in chunks] for bucket, chunks in shorter.items()}
            store.entries[entry] = encode(Record(APPENDED_HEAD.name, APPENDED_HEAD.letter, 3), shorter)
    side = JoinSide(False, len(GROUPS), plain_keys=True)
    for extra in range(3):
        side.begin(store, "uid", GROUPS)
        side.load([*range(50), 1000])
        assert all(side.rows[n] == [("row", "x" * 50)] + [("more",)] * extra for n in range(50))
        assert 1000 not in side.rows
        side.add(list(range(50)), [("more",)] * 50)
        side.flush()


class Colour(IntEnum):
    RED = 1


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("stored_first", [False, True])
@pytest.mark.parametrize(
    ("other", "key"), [(np.str_("k1"), "k1"), (Colour.RED, 1), (True, 1), (np.int64(7), 7), (None, None)]
)
def test_keys_that_are_equal_meet_whatever_their_classes(
    other: Any, key: Any, stored_first: bool, counted: bool
) -> None:
    stored, asked = (other, key) if stored_first else (key, other)
    store, side = MemoryStore(), JoinSide(counted, 4, plain_keys=True)
    side.begin(store, "uid", GROUPS)
    side.load([stored])
    if counted:
        side.count(stored, ("row",), 1)
    else:
        side.add([stored], [("row",)])
    side.flush()
    side.begin(store, "uid", GROUPS)
    side.load([asked])
    assert list(side.rows[asked]) == [("row",)]


@pytest.mark.parametrize("value", [0, 255, 256, 65_535, 65_536, -1, 2**31, -(2**63), "", "a", "é" * 300, "\ud800"])
@pytest.mark.parametrize("dumps", [dumps, dumps_plain])
def test_what_is_searched_for_is_in_pickles(value: Any, dumps: Any) -> None:
    assert trace_of(value) in dumps(([value, value], [(value, None)]))
