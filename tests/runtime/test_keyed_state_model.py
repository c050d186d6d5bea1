"""Random programs of state operations and timers over random keys, against a plain model."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from datastream.runtime import pages, run_groups
from datastream.runtime.keyed_state import KeyedStates, chunks, collection
from datastream.runtime.keyed_state.spilled_list import SpilledList
from datastream.runtime.keyed_state.spilled_map import SpilledMap
from datastream.runtime.runs import newest, pairs_of
from datastream.runtime.state_format import decode
from datastream.runtime.state_format.layout import RUNS
from datastream.runtime.state_format.records import CONTENTS, CONTENTS_HEAD, RUN_HEAD, TIMERS
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time, TimeDomain
from tests.support.keyed_harness import ANY, MemoryStore, Sum

TTL = 50
KINDS = ("value", "list", "map", "reducing", "aggregating")

few = st.sampled_from([0, "a", ("c", None)])
keys = st.one_of(few, few, few, st.integers(0, 40))
map_keys = st.one_of(st.integers(0, 99), st.sampled_from(["x", ("y", 2), 1.0]))
numbers = st.integers(0, 9)
times = st.integers(1000, 1040)
domains = st.sampled_from(TimeDomain)


class Model:
    """What a key keeps. Every value is [time it was touched, value]."""

    def __init__(self):
        self.single = {}
        self.list = []
        self.map = {}
        self.timers = {TimeDomain.EVENT_TIME: set(), TimeDomain.PROCESSING_TIME: set()}

    def expire(self, before):
        self.single = {k: v for k, v in self.single.items() if v[0] > before}
        self.list = [v for v in self.list if v[0] > before]
        self.map = {k: v for k, v in self.map.items() if v[0] > before}


class KeyedStateMachine(RuleBasedStateMachine):
    @initialize(
        parallelism=st.sampled_from([1, 2, 8]),
        ttl=st.sampled_from([None, "write", "read"]),
    )
    def start(self, parallelism, ttl):
        self.store, self.model, self.now = MemoryStore(), {}, 1000
        self.groups, self.ttl = parallelism, ttl
        self.open()

    def open(self):
        """A new object, as after a restart."""
        self.states = states = KeyedStates(lambda: self.now)
        made = {
            "value": ValueStateDescriptor("value", ANY),
            "list": ListStateDescriptor("list", ANY),
            "map": MapStateDescriptor("map", ANY, ANY),
            "reducing": ReducingStateDescriptor("reducing", lambda a, b: a + b, ANY),
            "aggregating": AggregatingStateDescriptor("aggregating", Sum(), ANY),
        }
        if self.ttl:
            builder = StateTtlConfig.new_builder(Time.milliseconds(TTL))
            if self.ttl == "read":
                builder.update_ttl_on_read_and_write()
            for descriptor in made.values():
                descriptor.enable_time_to_live(builder.build())
        self.value = states.get_state(made["value"])
        self.list = states.get_list_state(made["list"])
        self.map = states.get_map_state(made["map"])
        self.reducing = states.get_reducing_state(made["reducing"])
        self.aggregating = states.get_aggregating_state(made["aggregating"])
        self.begin()

    def begin(self):
        self.states.begin(self.store, "uid", self.groups, range(self.groups))

    def at(self, key):
        """Put a key in hand; its model."""
        self.states.load([key])
        self.states.cell.key, self.states.cell.content = key, self.states.values[key]
        model = self.model.setdefault(key, Model())
        if self.ttl:
            model.expire(self.now - TTL)
        return model

    def touch(self, *pairs):
        if self.ttl == "read":
            for pair in pairs:
                pair[0] = self.now

    def read_single(self, model, name):
        pair = model.single.get(name)
        if pair is None:
            return None
        self.touch(pair)
        return pair[1]

    # -- states ----------------------------------------------------------------------------------------

    @rule(key=keys, n=numbers)
    def update_value(self, key, n):
        model = self.at(key)
        assert self.value.value() == self.read_single(model, "value")
        self.value.update([n])
        model.single["value"] = [self.now, [n]]

    @rule(key=keys)
    def change_value_in_place(self, key):
        model = self.at(key)
        found, expected = self.value.value(), self.read_single(model, "value")
        assert found == expected
        if found:
            found.append(7)
            if found is not expected:
                expected.append(7)

    @rule(key=keys, n=numbers)
    def reduce(self, key, n):
        model = self.at(key)
        self.reducing.add(n)
        model.single["reducing"] = [self.now, n + model.single.get("reducing", [0, 0])[1]]
        assert self.reducing.get() == self.read_single(model, "reducing")

    @rule(key=keys, n=numbers)
    def aggregate(self, key, n):
        model = self.at(key)
        self.aggregating.add(n)
        model.single["aggregating"] = [self.now, n + model.single.get("aggregating", [0, 0])[1]]
        assert self.aggregating.get() == str(self.read_single(model, "aggregating"))

    @rule(key=keys, name=st.sampled_from(KINDS))
    def clear(self, key, name):
        model = self.at(key)
        getattr(self, name).clear()
        model.single.pop(name, None)
        if name in ("list", "map"):
            getattr(model, name).clear()

    @rule(key=keys, values=st.lists(numbers, max_size=12), how=st.sampled_from(["add", "add_all", "update"]))
    def change_list(self, key, values, how):
        model = self.at(key)
        if how == "add":
            for n in values:
                self.list.add(n)
        else:
            getattr(self.list, how)(values)
        if how == "update":
            model.list.clear()
        model.list += [[self.now, n] for n in values]

    @rule(key=keys)
    def read_list(self, key):
        model = self.at(key)
        assert list(self.list) == [n for _, n in model.list]
        self.touch(*model.list)

    @rule(key=keys)
    def rewrite_list_from_itself(self, key):
        model = self.at(key)
        self.list.update(n + 1 for n in self.list.get())
        model.list = [[self.now, n + 1] for _, n in model.list]

    @rule(key=keys, entries=st.dictionaries(map_keys, numbers, max_size=40), at_once=st.booleans())
    def put(self, key, entries, at_once):
        self.put_entries(key, entries, at_once)

    def put_entries(self, key, entries, at_once):
        model = self.at(key)
        if at_once:
            self.map.put_all(entries)
        else:
            for k, v in entries.items():
                self.map[k] = v
        model.map.update({k: [self.now, v] for k, v in entries.items()})

    @rule(key=few, start=map_keys.filter(lambda k: isinstance(k, int)), count=st.integers(10, 60), n=numbers)
    def put_a_range(self, key, start, count, n):
        self.put_entries(key, dict.fromkeys(range(start, start + count), n), n % 2)

    @rule(key=keys, gone=st.lists(map_keys, max_size=12))
    def remove(self, key, gone):
        model = self.at(key)
        for k in gone:
            del self.map[k]
            model.map.pop(k, None)

    @rule(key=keys, k=map_keys)
    def look_up(self, key, k):
        model = self.at(key)
        pair = model.map.get(k)
        assert self.map[k] == (pair and pair[1])
        assert (k in self.map) == (pair is not None)
        if pair:
            self.touch(pair)

    @rule(key=keys, how=st.sampled_from(["items", "keys", "values"]))
    def read_map(self, key, how):
        model = self.at(key)
        assert self.map.is_empty() == (not model.map)
        expected = getattr({k: v for k, (_, v) in model.map.items()}, how)()
        found = getattr(self.map, how)()
        assert Counter(found) == Counter(expected)
        self.touch(*model.map.values())

    @rule(key=few, new=st.dictionaries(map_keys, numbers, max_size=40), removing=st.booleans())
    def change_map_while_it_is_iterated(self, key, new, removing):
        model = self.at(key)
        before = set(model.map)
        self.touch(*model.map.values())
        seen = []
        for k in self.map:
            seen.append(k)
            if removing:
                del self.map[k]
                model.map.pop(k, None)
            for _ in range(min(2, len(new))):
                added, n = new.popitem()
                self.map[added] = n
                model.map[added] = [self.now, n]
        assert Counter(k for k in seen if k in before) == Counter(before)

    # -- time ------------------------------------------------------------------------------------------

    @rule(key=keys, domain=domains, changes=st.lists(st.tuples(st.booleans(), times), min_size=1, max_size=8))
    def change_timers(self, key, domain, changes):
        timers = self.at(key).timers[domain]
        for set_it, time in changes:
            if set_it:
                self.register(domain, time)
                timers.add(time)
            else:
                time = min(timers, default=time) if time % 2 else time
                self.delete(domain, time)
                timers.discard(time)

    def register(self, domain, time):
        timers = self.states.timers
        if domain is TimeDomain.EVENT_TIME:
            timers.register_event_time_timer(time)
        else:
            timers.register_processing_time_timer(time)

    def delete(self, domain, time):
        timers = self.states.timers
        if domain is TimeDomain.EVENT_TIME:
            timers.delete_event_time_timer(time)
        else:
            timers.delete_processing_time_timer(time)

    @rule(domain=domains, until=times)
    def fire(self, domain, until):
        for time, key in self.states.fire(domain, until):
            assert time == min(min(m.timers[domain]) for m in self.model.values() if m.timers[domain])
            assert self.states.cell.key == key
            mine = self.model[key].timers[domain]
            mine.remove(time)
            if time % 5 == 0:
                self.register(domain, time + 3)
                mine.add(time + 3)
            if time % 7 == 0:
                self.delete(domain, time + 1)
                mine.discard(time + 1)
            if time % 11 == 0 and time > 1000:  # earlier than the one that fires
                self.register(domain, time - 7)
                mine.add(time - 7)
            self.value.update([time])
            self.model[key].single["value"] = [self.now, [time]]
        assert all(time > until for m in self.model.values() for time in m.timers[domain])

    @rule(ms=st.integers(1, 60))
    def pass_time(self, ms):
        self.now += ms

    @rule(restart=st.booleans())
    def end_epoch(self, restart):
        self.states.flush()
        self.check_entries()
        if restart:
            self.open()
        else:
            self.begin()

    def check_entries(self):
        """Every chunk belongs to a collection that is kept, and the summary says the truth."""
        known, found, summary = set(), set(), None
        pieces, pages_of_keys = defaultdict(list), []
        for entry, data in self.store.entries.items():
            group, index = int.from_bytes(entry[8:12]), int.from_bytes(entry[12:16])
            if group == 0xFFFFFFFF:
                summary = decode(TIMERS, data)[2:]
            elif index == 0xFFFFFFFF:
                found.add((group, int.from_bytes(entry[16:24]), int.from_bytes(entry[24:])))
            elif index == RUNS:
                pieces[group].append((entry, data))
            elif not data.startswith(RUN_HEAD.header):
                pages_of_keys.append(decode(CONTENTS_HEAD, data)[1] if index == 0 else decode(CONTENTS, data))
        for some in pieces.values():
            pages_of_keys.append(dict(pairs_of(newest(some))))
        for page in pages_of_keys:
            assert all(page.values())
            for stored in (s for content in page.values() for s in content.values()):
                if type(stored) is SpilledMap:
                    known.update((stored.group, stored.id, i) for i in range(stored.chunks))
                elif type(stored) is SpilledList:
                    known.update((stored.group, stored.id, i) for i in range(stored.first, stored.end))
        assert found <= known
        for domain in TimeDomain:
            least = min((t for m in self.model.values() for t in m.timers[domain]), default=None)
            assert min(summary[domain.value].values() if summary else (), default=None) == least

    @rule()
    def clear_everything(self):
        for key, model in list(self.model.items()):
            self.at(key)
            for name in KINDS:
                getattr(self, name).clear()
            for domain in TimeDomain:
                for time in model.timers[domain]:
                    self.delete(domain, time)
        self.model.clear()
        self.end_epoch(True)
        for entry in self.store.entries:
            head = entry[12:] == bytes(4)
            assert head, "only heads and the summary stay"

    def teardown(self):
        if hasattr(self, "states"):
            for key in list(self.model):
                self.read_list(key)
                self.read_map(key, "items")
                self.update_value(key, 1)
            self.fire(TimeDomain.EVENT_TIME, 1100)
            self.end_epoch(True)


@pytest.mark.long
@pytest.mark.parametrize(("bits", "in_vain"), [(None, 0), (0, 0), (1, 1 << 30), (9, 1 << 30), (9, 100)])
def test_keyed_state_is_a_dict_of_states(monkeypatch, bits, in_vain):
    if bits is not None:  # many pages, or runs, or first these and then those, and collections that soon move to chunks
        monkeypatch.setattr(pages, "SPLIT", 4)
        monkeypatch.setattr(collection, "MOST_ENTRIES", 8)
        monkeypatch.setattr(collection, "MOST_BYTES", 64)
        monkeypatch.setattr(pages, "PAGE_BYTES", 150)
        monkeypatch.setattr(pages, "MOST_BITS", bits)
        monkeypatch.setattr(pages, "IN_VAIN", in_vain)
        monkeypatch.setattr(run_groups, "PIECE", 100)
        monkeypatch.setattr(run_groups, "HEAVY", 150)
        monkeypatch.setattr("datastream.runtime.keyed_state.spilled_map.CHUNK_BYTES", 24)
        monkeypatch.setattr("datastream.runtime.keyed_state.spilled_list.CHUNK_BYTES", 24)
        monkeypatch.setattr(chunks, "_MEMORY", 10 * chunks.CHUNK_BYTES)
    run_state_machine_as_test(
        KeyedStateMachine, settings=settings(max_examples=80, stateful_step_count=80, deadline=None)
    )
