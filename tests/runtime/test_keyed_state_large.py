"""Lists and maps that outgrow their page: in pieces, read as they are asked for."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter

import pytest

from datastream.runtime.keyed_state import chunks
from datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from datastream.time import Time
from tests.support.keyed_harness import ANY, Keyed, MemoryStore


def expiring(descriptor, **more):
    builder = StateTtlConfig.new_builder(Time.milliseconds(10))
    if more.get("on_read"):
        builder.update_ttl_on_read_and_write()
    descriptor.enable_time_to_live(builder.build())
    return descriptor


def opened(keyed, ttl=False, **more):
    made = ListStateDescriptor("list", ANY), MapStateDescriptor("map", ANY, ANY)
    if ttl:
        made = [expiring(descriptor, **more) for descriptor in made]
    return keyed.states.get_list_state(made[0]), keyed.states.get_map_state(made[1])


def pieces(keyed):
    return [key for key in keyed.store.entries if len(key) > 16]


def filled(n=5000, groups=8, **more):
    """A key with a list and a map of n."""
    keyed = Keyed(groups=groups)
    lists, maps = opened(keyed, **more)
    keyed.at("a")
    lists.add_all(range(n))
    maps.put_all({i: str(i) for i in range(n)})
    keyed.next_epoch()
    keyed.at("a")
    return keyed, lists, maps


def test_a_thousand_entries_stay_in_the_page():
    keyed, _, _ = filled(1000)
    assert pieces(keyed) == []


def test_large_collections_read_as_small_ones_do():
    keyed, lists, maps = filled()
    assert len(pieces(keyed)) > 50
    assert list(lists) == list(range(5000))
    assert sorted(maps.items()) == [(i, str(i)) for i in range(5000)]
    assert sorted(maps) == sorted(maps.keys()) == list(range(5000))
    assert Counter(maps.values()) == Counter(map(str, range(5000)))
    assert maps.get(4999) == "4999"
    assert 5000 not in maps
    keys = maps.keys()
    assert sum(keys) == sum(keys)  # as often as one likes


def test_only_what_is_asked_for_is_read():
    keyed, lists, maps = filled(20_000)
    keyed.store.read.clear()
    assert not maps.is_empty()
    assert keyed.store.read == []
    assert maps[17] == "17"
    assert len(keyed.store.read) == 1
    for _, _ in zip(range(100), maps, strict=False):
        pass
    for _, _ in zip(range(100), lists, strict=False):
        pass
    lists.add(1)
    assert len(keyed.store.read) < 40
    keyed.store.written.clear()
    keyed.next_epoch()
    assert len(keyed.store.written) == 1  # the page, where the end of the list is


def test_a_put_writes_one_piece():
    keyed, _, maps = filled(20_000)
    keyed.store.written.clear()
    maps[17] = "new"
    keyed.next_epoch()
    assert len(keyed.store.written) == 1
    keyed.at("a")
    assert maps[17] == "new"


@pytest.mark.parametrize("what", ["clear", "remove one by one"])
def test_nothing_is_left_of_what_was_cleared(what):
    keyed, lists, maps = filled()
    lists.clear()
    if what == "clear":
        maps.clear()
    else:
        for key in maps:
            maps.remove(key)
    assert list(lists) == []
    assert maps.is_empty()
    assert 17 not in maps
    keyed.next_epoch()
    assert keyed.store.entries == {}


def test_what_was_got_before_a_clear_can_still_be_iterated():
    keyed, lists, maps = filled()
    elements, items = lists.get(), maps.items()
    lists.clear()
    maps.clear()
    lists.add("new")
    maps["new"] = 1
    assert list(elements) == list(range(5000))
    assert len(list(items)) == 5000
    keyed.next_epoch()
    keyed.at("a")
    assert list(lists) == ["new"]
    assert list(maps) == ["new"]
    assert pieces(keyed) == []


def test_a_map_that_shrank_returns_to_its_page():
    keyed, _, maps = filled(20_000)
    for n in range(20_000):
        if n % 1000:
            del maps[n]
    keyed.next_epoch()
    keyed.at("a")
    assert sorted(maps) == list(range(0, 20_000, 1000))
    maps.put_all(dict.fromkeys(range(20_000, 22_000), ""))
    maps.put_all(dict.fromkeys(range(21_000, 25_000), "new"))
    assert maps[21_000] == "new"
    for n in range(20_000, 24_000):
        del maps[n]
    keyed.next_epoch()
    keyed.at("a")
    assert sorted(maps) == [*range(0, 20_000, 1000), *range(24_000, 25_000)]
    maps.clear()
    keyed.states.get_list_state(ListStateDescriptor("list", ANY)).clear()
    keyed.next_epoch()
    assert keyed.store.entries == {}


def test_entries_are_met_once_while_the_map_grows():
    keyed, _, maps = filled(2000)
    seen = Counter()
    for n, key in enumerate(maps):
        seen[key] += 1
        if n < 1500:
            maps[-1 - n] = "new"
            maps[-10_000 - n] = "new"
    assert all(seen[key] == 1 for key in range(2000))
    assert len(list(maps)) == 5000


def test_large_entries_move_out_of_the_page_though_they_are_few():
    keyed = Keyed(groups=1)
    lists, maps = opened(keyed)
    for key in range(10):
        keyed.at(key)
        lists.add_all([bytes([n]) * 5000 for n in range(20)])
        maps.put_all({n: bytes([n]) * 5000 for n in range(20)})
    for _ in range(2):
        keyed.next_epoch()
        assert len(pieces(keyed)) > 10 * (20 + 8)
        keyed.at(3)
        assert list(lists) == [bytes([n]) * 5000 for n in range(20)]
        assert dict(maps.items()) == {n: bytes([n]) * 5000 for n in range(20)}


def test_map_keys_whose_equality_is_their_own():
    keyed = Keyed()
    _, maps = opened(keyed)
    keyed.at("a")
    for n in range(1500):
        maps[Name(f"N{n}")] = n
    keyed.next_epoch()
    keyed.at("a")
    assert maps[Name("n1234")] == 1234
    assert len(list(maps)) == 1500


class Name:
    """Equal whatever the case of its letters."""

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return self.text.lower() == other.text.lower()

    def __hash__(self):
        return hash(self.text.lower())


@pytest.mark.parametrize("on_read", [False, True])
def test_expired_entries_of_large_collections_are_not_seen_and_go(on_read):
    keyed, lists, maps = filled(ttl=True, on_read=on_read)
    keyed.now = 5
    lists.add(-1)
    maps[-1] = "-1"
    assert list(lists) == [*range(5000), -1]
    assert maps[17] == "17"
    keyed.next_epoch()
    keyed.at("a")
    keyed.now = 10
    assert list(lists) == ([*range(5000), -1] if on_read else [-1])
    assert maps[17] == ("17" if on_read else None)
    assert sorted(maps) == ([-1, 17] if on_read else [-1])
    keyed.next_epoch()
    keyed.at("a")
    assert sorted(maps.items()) == ([(-1, "-1"), (17, "17")] if on_read else [(-1, "-1")])
    keyed.now = 100
    keyed.at("a")
    keyed.next_epoch()
    assert keyed.store.entries == {}


def test_a_map_whose_entries_come_and_expire_does_not_grow():
    keyed = Keyed()
    lists, maps = opened(keyed, ttl=True)
    for keyed.now in range(100):
        keyed.at("a")
        for n in range(300):
            maps[keyed.now, n] = n
            lists.add(n)
        keyed.next_epoch()
    keyed.at("a")
    assert len(list(maps)) == 3000
    assert len(list(lists)) == 3000
    assert len(pieces(keyed)) < 400


def test_a_retry_finds_what_was_there(monkeypatch):
    """Pieces that memory had no room for are written before the epoch ends; the store takes them back."""
    monkeypatch.setattr(chunks, "_MEMORY", 64 * chunks.CHUNK_BYTES)
    keyed, _, maps = filled(20_000)
    before = dict(keyed.store.entries)
    for n in range(20_000):
        maps[n] = "changed"
    assert keyed.store.entries != before
    keyed.store.entries = before
    keyed.begin()
    keyed.at("a")
    assert maps[19_999] == "19999"


def test_a_key_with_many_entries_needs_little_memory():
    count = 100_000
    keyed = Keyed()
    _, maps = opened(keyed)
    chosen = random.Random(1)
    order = chosen.sample(range(count), count)
    for start in range(0, count, 20_000):
        keyed.at("a")
        for n in order[start : start + 20_000]:
            maps[n] = n
        keyed.next_epoch()
    tracemalloc.start()
    try:
        keyed.at("a")
        for n in chosen.sample(range(count), 2000):
            assert maps[n] == n
        assert sum(1 for _ in maps) == count
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * 1024 * 1024


def test_keys_that_share_a_page_with_a_large_one():
    store = MemoryStore()
    keyed = Keyed(store, groups=1)
    _, maps = opened(keyed)
    state = keyed.states.get_state(ValueStateDescriptor("value", ANY))
    for n in range(1000):
        keyed.at(n)
        state.update(n)
        if n % 100 == 0:
            maps.put_all({i: n for i in range(1500)})
    keyed.next_epoch()
    keyed = Keyed(store, groups=1)
    _, maps = opened(keyed)
    for n in range(0, 1000, 100):
        keyed.at(n)
        assert maps[1499] == n
        assert len(list(maps)) == 1500
