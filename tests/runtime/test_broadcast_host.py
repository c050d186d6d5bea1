"""Broadcast process functions, keyed and not, over epochs cut at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datastream.errors import ValidationError
from datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction, OutputTag
from datastream.functions.keyed_state_function import KeyedStateFunction
from datastream.graph.operators import BroadcastProcess, KeyedBroadcastProcess
from datastream.runtime.hosts.broadcast_process import BroadcastProcessHost, KeyedBroadcastProcessHost
from datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor
from datastream.time import TimeDomain
from tests.support.keyed_harness import ANY
from tests.support.two_inputs import Driver, cut_at

RULES = MapStateDescriptor("rules", ANY, ANY)
OTHER = MapStateDescriptor("other", ANY, ANY)
COUNT = ValueStateDescriptor("count", ANY)
SEEN = ListStateDescriptor("seen", ANY)
TAG = OutputTag("side")
HOSTS = [BroadcastProcessHost, KeyedBroadcastProcessHost]


def drive(host, function, **kwargs):
    keyed = host is KeyedBroadcastProcessHost
    kind = KeyedBroadcastProcess if keyed else BroadcastProcess
    return Driver(host, function, kind, descriptors=(RULES, OTHER), **kwargs)


def entries(driver):
    """The entries of broadcast states."""
    return {key for key in driver.store.entries if key[8:16] == b"\xff\xff\xff\xff\x00\x00\x00\x02"}


def function(host, element=None, broadcast=None, opened=None, timer=None):
    """A function of the kind that the host runs."""
    base = KeyedBroadcastProcessFunction if host is KeyedBroadcastProcessHost else BroadcastProcessFunction

    class Given(base):
        def open(self, runtime_context):
            if opened:
                opened(self, runtime_context)

        def process_element(self, value, ctx):
            return element(self, value, ctx) if element else None

        def process_broadcast_element(self, value, ctx):
            return broadcast(self, value, ctx) if broadcast else None

        def on_timer(self, timestamp, ctx):
            return timer(self, timestamp, ctx) if timer else None

    return Given()


def look_up(self, value, ctx):
    yield value, ctx.get_broadcast_state(RULES).get(value)


def change(self, value, ctx):
    state = ctx.get_broadcast_state(RULES)
    if value[1] is None:
        state.remove(value[0])
    else:
        state.put(*value)


names = st.integers(0, 3)
changes = st.tuples(st.just(1), st.tuples(names, st.integers(0, 9) | st.none()), st.none(), st.none())
lookups = st.tuples(st.just(0), names, names, st.integers(0, 9))


@pytest.mark.parametrize("host", HOSTS)
@given(st.lists(changes | lookups, max_size=30), st.sets(st.integers(0, 30)))
def test_broadcast_records_change_what_the_other_stream_reads(host, steps, cuts):
    expected, rules = [], {}
    for side, value, _, time in steps:
        if side == 0:
            expected.append(((value, rules.get(value)), time))
        else:
            rules[value[0]] = value[1]
    assert drive(host, function(host, look_up, change)).run(cut_at(steps, cuts)) == expected


@pytest.mark.parametrize("host", HOSTS)
def test_the_state_as_a_map(host):
    def write(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        assert state.is_empty()
        state.put_all({"a": 1, "b": 2, "c": 3})
        state["d"] = 4
        del state["a"]
        state.remove("not there")
        yield sorted(state.items()), sorted(state.keys()), sorted(state.values()), "b" in state, state["c"]

    def read(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        yield sorted(state), state.contains("a"), state.get("a"), state.is_empty(), len(list(state.items()))

    driver = drive(host, function(host, read, write))
    driver.run([(1, 0, None, 5), "cut", (0, 0, "k", 6)])
    assert driver.out == [
        (([("b", 2), ("c", 3), ("d", 4)], ["b", "c", "d"], [2, 3, 4], True, 3), 5),
        ((["b", "c", "d"], False, None, False, 3), 6),
    ]


@pytest.mark.parametrize("host", HOSTS)
def test_clear_leaves_nothing_in_the_store(host):
    def write(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        state.clear() if value is None else state.put(value, f"{value:01000}")

    driver = drive(host, function(host, broadcast=write))
    driver.records(1, [(n, None, None) for n in range(500)])
    driver.cut()
    assert len(entries(driver)) > 4
    driver.run([(1, None, None, None), "cut"])
    assert not entries(driver)


@pytest.mark.parametrize("host", HOSTS)
def test_the_other_stream_cannot_change_it(host):
    kept = []

    def keep(self, value, ctx):
        kept.append(ctx.get_broadcast_state(RULES))
        kept[-1].put("a", 1)

    def write(self, value, ctx):
        state = kept[0] if value == "kept" else ctx.get_broadcast_state(RULES)
        if value == "del":
            del state["a"]
        elif value == "set":
            state["a"] = 1
        elif value == "put_all":
            state.put_all({})
        elif value in ("clear", "kept"):
            state.clear()
        else:
            getattr(state, value)("a", *[1] * (value == "put"))

    user = function(host, write, keep)
    driver = drive(host, user)
    for value in ("put", "put_all", "remove", "clear", "set", "del"):
        with pytest.raises(ValidationError, match="can be changed in process_broadcast_element only"):
            driver.run([(0, value, "k", 1)])
        assert driver.host.what.endswith("Given.process_element")
        assert driver.host.record == value


@pytest.mark.parametrize("host", HOSTS)
def test_a_view_that_a_function_keeps_cannot_be_changed_by_the_other_stream(host):
    def keep(self, value, ctx):
        self.kept = ctx.get_broadcast_state(RULES)
        self.kept.put("a", 1)

    def use(self, value, ctx):
        yield self.kept.get("a")
        self.kept.put("a", 2)

    with pytest.raises(ValidationError, match="process_broadcast_element only"):
        drive(host, function(host, use, keep)).run([(1, 0, None, 1), (0, 0, "k", 1)])


@pytest.mark.parametrize("host", HOSTS)
def test_a_descriptor_that_broadcast_did_not_get(host):
    def read(self, value, ctx):
        ctx.get_broadcast_state(value)

    driver = drive(host, function(host, read, read))
    unknown = MapStateDescriptor("unknown", ANY, ANY)
    for side in (0, 1):
        with pytest.raises(ValidationError, match="given to broadcast.*got 'unknown', and there were 'rules', 'other'"):
            driver.run([(side, unknown, "k", 1)])
    with pytest.raises(ValidationError, match="MapStateDescriptor .* got 'rules'"):
        driver.run([(0, "rules", "k", 1)])


@pytest.mark.parametrize("host", HOSTS)
def test_not_between_records(host):
    def keep(self, value, ctx):
        self.kept = ctx.get_broadcast_state(RULES)

    driver = drive(host, function(host, broadcast=keep))
    driver.run([(1, 0, None, 1)])
    driver.host.flush()
    with pytest.raises(ValidationError, match="'rules' can be used while a record or timer is handled, not in open"):
        driver.function.kept.get(1)


@pytest.mark.parametrize("host", HOSTS)
def test_states_of_two_names_are_two(host):
    def write(self, value, ctx):
        ctx.get_broadcast_state(OTHER).put(value, "other")
        ctx.get_broadcast_state(MapStateDescriptor("rules", ANY, ANY)).put(value, "rule")

    def read(self, value, ctx):
        yield ctx.get_broadcast_state(RULES).get(value), ctx.get_broadcast_state(OTHER).get(value)

    driver = drive(host, function(host, read, write))
    assert driver.run([(1, 1, None, 1), "cut", (0, 1, "k", 2)]) == [(("rule", "other"), 2)]


@pytest.mark.parametrize("host", HOSTS)
def test_times_and_side_outputs(host):
    def tell(self, value, ctx):
        yield ctx.timestamp(), ctx.current_watermark(), ctx.current_processing_time()
        yield TAG, value

    driver = drive(host, function(host, tell, tell))
    driver.run([("clock", 50), ("watermark", 3), (0, "a", "k", 10), (1, "b", None, 11), (1, "c", None, None)])
    assert driver.out == [((10, 3, 50), 10), ((11, 3, 50), 11), ((-(2**63), 3, 50), None)]
    assert driver.sides == {"side": [("a", 10), ("b", 11), ("c", None)]}


@pytest.mark.parametrize("host", HOSTS)
def test_a_large_map_is_read_and_written_in_parts(host):
    def write(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value, [f"{value:0500}"])

    driver = drive(host, function(host, look_up, write))
    driver.records(1, [(n, None, None) for n in range(2000)])
    driver.cut()
    assert len(entries(driver)) >= 16
    store = driver.store
    store.read.clear()
    store.written.clear()
    driver.run([(0, 77, "k", 1), (1, 78, None, 1), "cut"])
    assert len([key for key in store.read if key in entries(driver)]) <= 3
    assert not store.written, "the same bytes are not written again"
    assert driver.out == [((77, [f"{77:0500}"]), 1)]


@pytest.mark.parametrize("host", HOSTS)
@given(st.data())
def test_a_map_of_any_size_is_like_a_dict(host, data):
    sizes = st.sampled_from([1, 100, 5000])
    entries = st.tuples(st.just("put"), st.integers(0, 200), sizes)
    removals = st.tuples(st.just("remove"), st.integers(0, 200), st.just(0))
    ranges = st.tuples(st.sampled_from(["fill", "drop"]), st.integers(0, 200), sizes)
    steps = data.draw(st.lists(entries | removals | ranges | st.just("cut"), max_size=20))

    def write(self, value, ctx):
        apply(ctx.get_broadcast_state(RULES), *value)

    def apply(state, what, n, size):
        if what == "put":
            state[n] = f"{n}-" * size
        elif what == "fill":
            for i in range(n):
                state[i] = f"{n}-" * size
        else:
            for i in range(n) if what == "drop" else [n]:
                state.pop(i, None) if type(state) is dict else state.remove(i)

    def read(self, value, ctx):
        yield dict(ctx.get_broadcast_state(RULES).items()), ctx.get_broadcast_state(RULES).is_empty()

    driver, model = drive(host, function(host, read, write)), {}
    for step in steps:
        if step != "cut":
            apply(model, *step)
        driver.run([step if step == "cut" else (1, step, None, None)])
    driver.run(["cut", (0, None, "k", 1)])
    assert driver.out == [((model, not model), 1)]
    driver.run([(1, ("drop", 201, 0), None, None), "cut"])
    assert driver.run([(0, None, "k", 1)])[-1] == (({}, True), 1)


@pytest.mark.parametrize("host", HOSTS)
def test_keys_of_one_hash_and_huge_values_do_not_make_ever_more_parts(host):
    class Same:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

        def __hash__(self):
            return 1

    def write(self, value, ctx):
        for n in range(20):
            ctx.get_broadcast_state(RULES).put(Same(n), str(value) * 10_000)
        ctx.get_broadcast_state(OTHER).put_all({1: str(value) * 500_000, 2: str(value), 3: str(value)})

    driver = drive(host, function(host, broadcast=write))
    for value in range(5):
        driver.run([(1, value, None, None), "cut"])
    assert len(entries(driver)) == 2


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_only_read_is_not_written(host):
    def read(self, value, ctx):
        ctx.get_broadcast_state(RULES).get("a").append("must not be done")

    def write(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("a", [1])

    driver = drive(host, function(host, read, write))
    driver.run([(1, 0, None, 1), "cut"])
    driver.store.written.clear()
    driver.run([(0, 0, "k", 1), "cut"])
    assert not driver.store.written
    assert driver.run([(0, 0, "k", 1)]) == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_value_that_is_changed_in_place_by_a_broadcast_record_is_kept(host):
    def write(self, value, ctx):
        state = ctx.get_broadcast_state(RULES)
        if "a" not in state:
            state.put("a", [])
        state.get("a").append(value)

    driver = drive(host, function(host, lambda self, value, ctx: [ctx.get_broadcast_state(RULES).get("a")], write))
    assert driver.run([(1, 1, None, 1), "cut", (1, 2, None, 1), "cut", (0, 0, "k", 9)]) == [([1, 2], 9)]


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_given_is_no_part_of_what_is_kept(host):
    def write(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("a", value)
        yield value

    driver = drive(host, function(host, lambda self, value, ctx: [ctx.get_broadcast_state(RULES).get("a")], write))
    driver.run([(1, [1], None, 1), (0, 0, "k", 2)])
    for record, _ in driver.out:
        record.append("changed downstream")
    assert driver.run([(0, 0, "k", 9)])[-1] == ([1], 9)


@pytest.mark.parametrize("host", HOSTS)
def test_who_raised_on_what(host):
    def fail(self, value, ctx):
        return [1 // value]

    driver = drive(host, function(host, fail, fail))
    for side, name in enumerate(("process_element", "process_broadcast_element")):
        with pytest.raises(ZeroDivisionError):
            driver.records(side, [(1, "k", 1), (0, "k", 2)])
        assert driver.host.record == 0
        assert driver.host.what.endswith(f"Given.{name}")


@pytest.mark.parametrize("host", HOSTS)
def test_every_subtask_has_a_state_of_its_own(host):
    one, two = (drive(host, function(host, look_up, change)) for _ in range(2))
    one.run([(1, ("a", 1), None, 1), "cut"])
    assert one.run([(0, "a", "k", 1)]) == [(("a", 1), 1)]
    assert two.run([(0, "a", "k", 1)]) == [(("a", None), 1)]


# -- keyed only ----------------------------------------------------------------------------------------


def states(self, runtime_context):
    self.count = runtime_context.get_state(COUNT)
    self.seen = runtime_context.get_list_state(SEEN)


def count(self, value, ctx):
    self.count.update((self.count.value() or 0) + 1)
    self.seen.add(value)
    ctx.timer_service().register_event_time_timer(value)
    yield ctx.get_current_key(), self.count.value()


def fired(self, timestamp, ctx):
    rule = ctx.get_broadcast_state(RULES).get("rule")
    yield timestamp, ctx.get_current_key(), rule, ctx.time_domain(), ctx.current_watermark()


HOST = KeyedBroadcastProcessHost


def test_timers_of_the_keyed_stream_see_the_broadcast_state():
    driver = drive(HOST, function(HOST, count, change, states, fired))
    driver.run([(0, 5, "a", 1), "cut", (1, ("rule", [7]), None, 2), "cut", ("watermark", 6)])
    assert driver.out == [(("a", 1), 1), ((5, "a", [7], TimeDomain.EVENT_TIME, 6), 5)]
    driver.out[1][0][2].append("changed downstream")
    driver.run([(0, 8, "b", 1), ("watermark", 9)])
    assert driver.out[-1] == ((8, "b", [7], TimeDomain.EVENT_TIME, 9), 8)


def test_broadcast_records_have_no_key_and_no_keyed_state():
    def reach(self, value, ctx):
        assert not hasattr(ctx, "timer_service")
        assert not hasattr(ctx, "get_current_key")
        self.count.value()

    driver = drive(HOST, function(HOST, count, reach, states))
    with pytest.raises(ValidationError, match="belong to the key of a record"):
        driver.run([(0, 1, "a", 1), (1, 0, None, 1)])


def test_a_function_for_the_state_of_every_key():
    def each(self, value, ctx):
        found = []

        def visit(key, state):
            found.append((key, state.value()))
            if value == "clear":
                state.clear()
            else:
                state.update(state.value() * 10)

        ctx.apply_to_keyed_state(COUNT, visit)
        yield sorted(found)

    driver = drive(HOST, function(HOST, count, each, states), groups=8)
    driver.records(0, [(100 + n, n % 500, 1) for n in range(1200)])
    del driver.out[:]
    driver.run(["cut", (0, 1, 7, 1), (1, "multiply", None, 2)])
    expected = {n: 3 if n < 200 else 2 for n in range(500)} | {7: 4}
    assert driver.out[1:] == [(sorted(expected.items()), 2)]
    driver.run(["cut", (0, 1, 7, 1)])
    assert driver.out[-1] == ((7, 41), 1)
    expected = {n: value * 10 for n, value in expected.items()} | {7: 41}
    driver.run([(1, "clear", None, 3)])
    assert driver.out[-1] == (sorted(expected.items()), 3)
    driver.run([(1, "clear", None, 4), (0, 1, 7, 5)])
    assert driver.out[-2:] == [([], 4), ((7, 1), 5)]


def test_timers_outlive_a_function_for_every_key():
    def each(self, value, ctx):
        ctx.apply_to_keyed_state(SEEN, lambda key, state: state.clear())

    driver = drive(HOST, function(HOST, count, each, states, fired))
    driver.run([(0, 5, "a", 1), (0, 6, "b", 1), "cut", (0, 4, "a", 1), (1, 0, None, 1), (0, 3, "c", 1)])
    del driver.out[:]
    driver.run([("watermark", 5), "cut", ("watermark", 6)])
    assert [record[:2] for record, _ in driver.out] == [(3, "c"), (4, "a"), (5, "a"), (6, "b")]


def test_a_keyed_state_function_and_what_is_none():
    class Reset(KeyedStateFunction):
        def process(self, key, state):
            state.clear()

    def each(self, value, ctx):
        ctx.apply_to_keyed_state(COUNT if value != "descriptor" else "count", Reset() if value != "function" else 1)

    driver = drive(HOST, function(HOST, count, each, states))
    assert driver.run([(0, 1, "a", 1), (1, 0, None, 1), (0, 1, "a", 2)]) == [(("a", 1), 1), (("a", 1), 2)]
    with pytest.raises(ValidationError, match=r"needs a function of \(key, state\)"):
        driver.run([(1, "function", None, 1)])
    with pytest.raises(ValidationError, match="known by its StateDescriptor"):
        driver.run([(1, "descriptor", None, 1)])
