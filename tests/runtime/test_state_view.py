"""What people see of the entries of a checkpoint."""

from __future__ import annotations

import pickle
import sys
import types
from enum import StrEnum

import pytest

from datastream.errors import ValidationError
from datastream.graph.operators import Reduce
from datastream.graph.slots import TIMERS
from datastream.graph.state_forms import StateForm, Stored, to_json
from datastream.runtime.broadcast_map import BroadcastMap
from datastream.runtime.hosts.host import Setting
from datastream.runtime.hosts.reduce import ReduceHost
from datastream.runtime.state_format.layout import is_piece, prefix_of
from datastream.runtime.state_view import StateName, StateReader, plain
from datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from datastream.time import Time
from tests.support.keyed_harness import ANY, Keyed, MemoryStore, Sum

KEYED = {"kind": "keyed_process", "forms": to_json([StateForm(Stored.CONTENTS, slots=TIMERS)])}
PROCESS = {"uid": KEYED}


class StoredEntries:
    """The entries of a store in memory."""

    def __init__(self, store):
        self.store = store

    def pages(self, prefix):
        for key, data in sorted(self.store.entries.items()):
            if key.startswith(prefix) and not is_piece(key):
                yield key, data

    def get(self, keys):
        return {key: self.store.entries[key] for key in keys if key in self.store.entries}


@pytest.fixture
def keyed():
    return Keyed(groups=4, now=1000)


def reader(keyed, operators=PROCESS):
    return StateReader(StoredEntries(keyed.store), operators)


def rows(keyed, **options):
    return list(reader(keyed).rows(**options))


def ttl(descriptor, ms=500):
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time(ms)).build())
    return descriptor


def keep(keyed, keys, change):
    for key in keys:
        keyed.at(key)
        change(key)
    keyed.next_epoch()


# -- rows -------------------------------------------------------------------------------------------------


def test_values_lists_and_maps(keyed):
    value = keyed.states.get_state(ValueStateDescriptor("v", ANY))
    elements = keyed.states.get_list_state(ListStateDescriptor("l", ANY))
    entries = keyed.states.get_map_state(MapStateDescriptor("m", ANY, ANY))

    def change(key):
        value.update((key, 1))
        elements.add_all([1, 2])
        entries.put("a", key)

    keep(keyed, ["k"], change)
    found = {row.state: row for row in rows(keyed)}
    assert set(found) == {"v", "l", "m"}
    assert (found["v"].form, found["v"].key, found["v"].value, found["v"].entries) == ("value", "k", ("k", 1), None)
    assert (found["l"].form, found["l"].value, found["l"].entries) == ("list", [1, 2], 2)
    assert (found["m"].form, found["m"].value, found["m"].entries) == ("map", {"a": "k"}, 1)
    assert {row.operator for row in found.values()} == {"uid"}
    assert {row.touched for row in found.values()} == {None}


def test_aggregating_state_shows_the_accumulator(keyed):
    state = keyed.states.get_aggregating_state(AggregatingStateDescriptor("a", Sum(), ANY))
    keep(keyed, [1], lambda key: state.add(5))
    assert [row.value for row in rows(keyed)] == [[5]]


def test_states_with_a_time_to_live_are_shown_without_the_times_beside_their_values(keyed):
    value = keyed.states.get_state(ttl(ValueStateDescriptor("v", ANY)))
    elements = keyed.states.get_list_state(ttl(ListStateDescriptor("l", ANY)))
    entries = keyed.states.get_map_state(ttl(MapStateDescriptor("m", ANY, ANY)))

    def change(key):
        value.update("x")
        elements.add("y")
        keyed.now = 1200
        elements.add("z")
        entries.put("a", 1)

    keep(keyed, ["k"], change)
    found = {row.state: (row.form, row.value, row.touched) for row in rows(keyed)}
    assert found == {
        "v": ("value", "x", 1000),
        "l": ("list", ["y", "z"], 1200),
        "m": ("map", {"a": 1}, 1200),
    }


def test_timers(keyed):
    def change(key):
        keyed.timers.register_event_time_timer(20)
        keyed.timers.register_event_time_timer(10)
        keyed.timers.register_processing_time_timer(5)

    keep(keyed, ["k"], change)
    found = {row.state: (row.form, row.value, row.entries) for row in rows(keyed)}
    assert found == {
        "(event-time timers)": ("timers", [10, 20], 2),
        "(processing-time timers)": ("timers", [5], 1),
    }


@pytest.mark.parametrize("with_ttl", [False, True])
@pytest.mark.parametrize("limit", [None, 10])
def test_collections_that_outgrew_their_page(keyed, with_ttl, limit):
    prepare = ttl if with_ttl else lambda d: d
    elements = keyed.states.get_list_state(prepare(ListStateDescriptor("l", ANY)))
    entries = keyed.states.get_map_state(prepare(MapStateDescriptor("m", ANY, ANY)))

    def change(key):
        elements.add_all(range(5000))
        entries.put_all({i: -i for i in range(5000)})

    keep(keyed, ["k"], change)
    found = {row.state: row for row in rows(keyed, limit=limit)}
    assert (found["l"].entries, found["m"].entries) == (5000, 5000)
    assert found["l"].value == list(range(5000))[:limit]
    assert len(found["m"].value) == (limit or 5000)
    assert all(found["m"].value[i] == -i for i in found["m"].value)
    assert found["m"].touched == (1000 if with_ttl else None)


def test_a_limit_reads_few_chunks(keyed):
    elements = keyed.states.get_list_state(ListStateDescriptor("l", ANY))
    keep(keyed, ["k"], lambda key: elements.add_all(range(100_000)))
    asked = []
    entries = StoredEntries(keyed.store)
    get, entries.get = entries.get, lambda keys: asked.extend(keys) or get(keys)
    assert next(StateReader(entries, PROCESS).rows(limit=5)).entries == 100_000
    assert len(asked) <= 3


def test_reduce_keeps_the_value_itself():
    store = MemoryStore()
    op = Reduce(0, "sum", lambda a, b: [a[0] + b[0]], uid="total")
    host = ReduceHost(op, Setting(max_parallelism=4))
    host.begin(store, range(4), 0)
    host.process(0, [[1], [2], [3]], ["a", "b", "a"], None)
    host.flush()
    found = StateReader(StoredEntries(store), {"total": {"kind": "reduce", "forms": to_json(op.state_forms)}}).rows()
    assert {(row.state, row.form, row.key, row.value[0]) for row in found} == {
        ("(reduce)", "value", "a", 4),
        ("(reduce)", "value", "b", 2),
    }


def test_broadcast_state(keyed):

    entries = BroadcastMap("rules")
    entries.begin(keyed.store, prefix_of("uid"))
    for i in range(3):
        entries.put(f"rule {i}", i)
    entries.flush()
    found = reader(keyed, broadcast())
    assert {row.key: row.value for row in found.rows(state="rules")} == {"rule 0": 0, "rule 1": 1, "rule 2": 2}
    with pytest.raises(ValidationError, match="no state has the name 'rule'; there are: .broadcast "):
        list(found.rows(state="rule"))
    assert next(iter(found.names())).state.startswith("(broadcast ")
    known = reader(keyed, broadcast("other", "rules"))
    assert [(name.state, keys) for name, keys in known.names().items()] == [("rules", 3)]


def broadcast(*states):
    forms = [StateForm(Stored.CONTENTS, slots=TIMERS), StateForm(Stored.BROADCAST, states=states)]
    return {"uid": {"kind": "keyed_broadcast_process", "forms": to_json(forms)}}


# -- choosing ---------------------------------------------------------------------------------------------


def filled(keyed, count=2000):
    value = keyed.states.get_state(ValueStateDescriptor("v", ANY))
    odd = keyed.states.get_state(ValueStateDescriptor("odd", ANY))

    def change(key):
        value.update(key)
        if key % 2:
            odd.update(True)
        keyed.timers.register_event_time_timer(key + 1)

    keep(keyed, range(count), change)
    return keyed


def test_all_keys_of_many_pages_are_there_once(keyed):
    assert sorted(row.key for row in rows(filled(keyed), state="v")) == list(range(2000))


def test_names_come_with_the_number_of_their_keys(keyed):
    assert reader(filled(keyed)).names() == {
        StateName("uid", "keyed_process", "v", "value"): 2000,
        StateName("uid", "keyed_process", "odd", "value"): 1000,
        StateName("uid", "keyed_process", "(event-time timers)", "timers"): 2000,
    }


def test_rows_of_one_state_of_one_key(keyed):
    assert [row.value for row in rows(filled(keyed), state="v", key=lambda key: key == 1234)] == [1234]


def test_at_most_so_many_rows(keyed):
    assert len(rows(filled(keyed), limit=7)) == 7


def test_operators_have_states_of_their_own(keyed):
    keep(keyed, ["k"], lambda key: keyed.states.get_state(ValueStateDescriptor("v", ANY)).update(1))
    operators = {**PROCESS, "other": KEYED}
    assert list(reader(keyed, operators).rows(operator="other")) == []
    assert reader(keyed, operators).names(operator="other") == {StateName("other", "keyed_process", "", ""): 0}
    assert {name.operator for name in reader(keyed, operators).names()} == {"uid", "other"}
    with pytest.raises(ValidationError, match="no operator with state has the uid 'x'; there are: uid, other"):
        reader(keyed, operators).names(operator="x")


# -- what cannot be read ----------------------------------------------------------------------------------


def test_a_class_that_cannot_be_imported_has_a_stand_in_and_the_rest_is_shown(keyed, monkeypatch):
    module = types.ModuleType("shop_orders")
    exec("class Order:\n    def __init__(self, id): self.id = id\n    def __eq__(self, o): return True", vars(module))
    module.Order.__module__ = "shop_orders"
    monkeypatch.setitem(sys.modules, "shop_orders", module)
    value = keyed.states.get_state(ValueStateDescriptor("v", ANY))
    keep(keyed, ["a", "b"], lambda key: value.update(module.Order(7) if key == "a" else "plain"))
    monkeypatch.delitem(sys.modules, "shop_orders")
    view = reader(keyed)
    found = {row.key: row.value for row in view.rows()}
    assert repr(found["a"]) == "<shop_orders.Order {'id': 7}>"
    assert found["b"] == "plain"
    assert len(view.problems) == 1
    assert view.problems[0].startswith("shop_orders.Order could not be imported (ModuleNotFoundError: No module named")


@pytest.mark.parametrize(
    ("base", "argument", "text"),
    [
        (list, [1, 2], " 1 2 "),
        (dict, {"a": 1}, "{'a': 1}"),
        (tuple, (5, 6), "(5, 6)"),
        (int, 5, " 5 "),
        (Exception, 5, " 5 "),
        (set, {5}, "[5]"),
    ],
)
def test_stand_ins_take_what_pickles_do_to_any_object(base, argument, text):
    from datastream.runtime.state_view.unpickling import LenientReader

    cls = type("Gone", (base,), {"__module__": "gone_module"})
    made = cls(argument)
    made.extra = "more"
    module = types.ModuleType("gone_module")
    module.Gone = cls
    sys.modules["gone_module"] = module
    try:
        data = pickle.dumps([made], 5)
    finally:
        del sys.modules["gone_module"]
    shown = repr(LenientReader().loads(data)[0])
    assert shown.startswith("<gone_module.Gone")
    assert "'extra': 'more'" in shown
    assert text in shown


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_shown(keyed):
    filled(keyed)
    page = next(k for k in keyed.store.entries if len(k) == 16 and k[12:] == b"\0\0\0\1")
    keyed.store.entries[page] = b"no pickle"
    view = reader(keyed)
    assert 0 < len(list(view.rows(state="v"))) < 2000
    assert "page 1 of key group" in view.problems[0]
    assert "'uid' cannot be read: CheckpointDamaged: the job's state is damaged" in view.problems[0]


# -- plain values -----------------------------------------------------------------------------------------


class Loud(StrEnum):
    YES = "yes"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, None, "a"), [1, None, "a"]),
        ({"a": [True]}, {"a": [True]}),
        ({1: 2}, "{1: 2}"),
        (float("nan"), "nan"),
        (b"x", "b'x'"),
        ({3}, "{3}"),
        (Loud.YES, repr(Loud.YES)),
    ],
)
def test_plain_values(value, expected):
    assert plain(value) == expected
