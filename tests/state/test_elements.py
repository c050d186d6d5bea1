"""What states give has one type at every size, and reads like a list."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import cloudpickle
import pytest

from datastream import (
    BroadcastProcessFunction,
    KeyedProcessFunction,
    ListStateDescriptor,
    MapStateDescriptor,
    StateTtlConfig,
    Types,
)
from datastream.table import ListView, MapView
from datastream.testing import case
from datastream.time import Time
from datastream.types.elements import Elements

SIZES = (0, 1, 3, 999, 1000, 1001, 2500)
LIVING = StateTtlConfig.new_builder(Time.days(1)).build()


def looks(found: Elements[int], expected: list[int]) -> list[str]:
    """What differs between some elements and a list."""
    some = {
        "type": (type(found).__name__, "Elements"),
        "len": (len(found), len(expected)),
        "bool": (bool(found), bool(expected)),
        "first": (found[:1], expected[:1]),
        "ends": ((found[0], found[-1]), (expected[0], expected[-1])) if expected else ((), ()),
        "list": (list(found), expected),
        "again": ([*found], expected),
        "middle": (found[len(expected) // 2 :], expected[len(expected) // 2 :]),
        "one": (found[len(expected) // 2 : len(expected) // 2 + 1], expected[len(expected) // 2 :][:1]),
        "step": (found[::-7], expected[::-7]),
        "reversed": (list(reversed(found)), expected[::-1]),
        "added": (found + [1], [*expected, 1]),
        "added to": ([1] + found, [1, *expected]),
        "both": (found + found, expected * 2),
        "equal": (found == expected and expected == found and found == found[:], True),
        "unequal": (found != [*expected, 0] and found != "text" and found != tuple(expected), True),
        "in": ([n in found for n in (None, *expected[-1:])], [False, *[True] * bool(expected)]),
        "index": (found.index(expected[-1]) if expected else 0, max(0, len(expected) - 1)),
        "count": (found.count(None), 0),
        "text": (f"{found} {found!r}", f"{expected} {expected!r}"),
        "pickled": (pickle.loads(pickle.dumps(found)), expected),
        "by value": (type(pickle.loads(cloudpickle.dumps(found))), list),
        "next": ([next(found), next(found)] if len(expected) > 1 else expected[:2], expected[:2]),
        "after": (list(found), expected),
        "unpacked": (len({*found}), len(set(expected))),
    }
    return [
        f"{name}: {str(got)[:80]} is not {str(wanted)[:80]}" for name, (got, wanted) in some.items() if got != wanted
    ]


class Looked(KeyedProcessFunction):
    """Fills states with as many numbers as each record says, and looks at what they give."""

    def open(self, runtime_context: Any) -> None:
        living_list = ListStateDescriptor("living list", Types.LONG())
        living_map = MapStateDescriptor("living map", Types.LONG(), Types.LONG())
        living_list.enable_time_to_live(LIVING)
        living_map.enable_time_to_live(LIVING)
        self.lists = [
            runtime_context.get_list_state(ListStateDescriptor("list", Types.LONG())),
            runtime_context.get_list_state(living_list),
        ]
        self.maps = [
            runtime_context.get_map_state(MapStateDescriptor("map", Types.LONG(), Types.LONG())),
            runtime_context.get_map_state(living_map),
        ]

    def process_element(self, size: int, ctx: Any) -> Iterable[Any]:
        numbers = list(range(size))
        for state in self.lists:
            before = state.get()
            state.update(numbers)
            yield size, looks(state.get(), numbers)
            yield size, [] if before == [] else ["the list of before has changed"]
            given = state.get()
            state.add(-1)
            yield size, looks(given, numbers)
            state.clear()
        for entries in self.maps:
            entries.put_all((n, -n) for n in numbers)
            for found, one in (
                (entries.keys, lambda n: n),
                (entries.values, lambda n: -n),
                (entries.items, lambda n: (n, -n)),
            ):
                yield size, looks(found(), list(found()))
                yield size, [] if sorted(found()) == sorted(map(one, numbers)) else ["other entries"]
            entries.clear()


@case
def test_every_size_looks_the_same(env):
    got = yield env.from_collection(list(SIZES)).key_by(lambda n: n).process(Looked())
    assert {size for size, _ in got} == set(SIZES)
    assert [(size, wrong) for size, wrong in got if wrong] == []


class Grows(KeyedProcessFunction):
    """Adds each record to states, and gives what they are then, in a list of a declared type too."""

    def open(self, runtime_context: Any) -> None:
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.LONG()))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.LONG(), Types.LONG()))

    def process_element(self, value: int, ctx: Any) -> Iterable[Any]:
        self.list.add(value)
        self.map.put(value, value)
        elements, keys = self.list.get(), self.map.keys()
        if value % 500 == 0 or value in (999, 1000, 1001, 1002):
            yield (
                len(elements),
                elements[0],
                elements[-1],
                len(keys),
                next(self.map.values()) >= 0,
                elements[-3:],
                elements,
            )


@case(parallelism=1)
def test_a_list_that_outgrows_its_page_goes_on_as_it_was(env):
    kinds = [Types.INT(), Types.LONG(), Types.LONG(), Types.INT(), Types.BOOLEAN(), *[Types.LIST(Types.LONG())] * 2]
    grown = env.from_collection(range(1, 2001)).key_by(lambda n: 0).process(Grows(), output_type=Types.TUPLE(kinds))
    got = yield grown
    for size, first, last, keys, _, tail, whole in got:
        assert (first, last, keys) == (1, size, size)
        assert tail == whole[-3:]
        assert whole == list(range(1, size + 1))
    assert [size for size, *_ in got] == [500, 999, 1000, 1001, 1002, 1500, 2000]


class Puts(KeyedProcessFunction):
    def open(self, runtime_context: Any) -> None:
        living = MapStateDescriptor("living", Types.LONG(), Types.LONG())
        living.enable_time_to_live(LIVING)
        self.maps = [
            runtime_context.get_map_state(MapStateDescriptor("map", Types.LONG(), Types.LONG())),
            runtime_context.get_map_state(living),
        ]

    def process_element(self, size: int, ctx: Any) -> Iterable[Any]:
        entries = {n: n * n for n in range(size)}
        for state in self.maps:
            for how in (entries, list(entries.items()), entries.items(), ((k, v) for k, v in entries.items())):
                state.clear()
                state.put_all(how)
                yield dict(state.items()) == entries
            state.put_all(state.items())
            state.put_all([(0, 1), (0, 2)])
            yield state.get(0) == 2 and len(state.keys()) == max(1, size)
            state.put_all([])
            try:
                state.put_all([1])
            except TypeError:
                yield dict(state.items()) == {**entries, 0: 2}


@case
def test_put_all_takes_pairs_and_dicts(env):
    got = yield env.from_collection([0, 3, 1000, 1500]).key_by(lambda n: n).process(Puts())
    assert got == [True] * 4 * 2 * 6


RULES = MapStateDescriptor("rules", Types.LONG(), Types.LONG())


class Ruled(BroadcastProcessFunction):
    def process_element(self, value: int, ctx: Any) -> Iterable[Any]:
        rules = ctx.get_broadcast_state(RULES)
        yield "record", len(rules.keys()), sorted(rules.items())[:2], next(rules.keys(), None) in (None, *rules.keys())

    def process_broadcast_element(self, value: int, ctx: Any) -> Iterable[Any]:
        rules = ctx.get_broadcast_state(RULES)
        rules.put_all((n, -n) for n in range(value))
        yield "rules", *looks(rules.values(), list(rules.values()))


@case(parallelism=1)
def test_broadcast_state_too(env):
    rules = env.from_collection([3, 1500]).broadcast(RULES)
    got = yield env.from_collection([1]).connect(rules).process(Ruled())
    assert [one for one in got if one[0] == "rules"] == [("rules",)] * 2
    ((_, size, first, found),) = [one for one in got if one[0] == "record"]
    assert (size, first, found) in ((0, [], True), (3, [(0, 0), (1, -1)], True), (1500, [(0, 0), (1, -1)], True))


def test_views_of_tables_too() -> None:
    for size in (0, 1, 5, 2000):
        numbers = list(range(size))
        some: ListView[int] = ListView()
        some.add_all(numbers)
        entries: MapView[int, int] = MapView()
        entries.put_all((n, -n) for n in numbers)
        assert looks(some.get(), numbers) == []
        assert looks(entries.keys(), numbers) == []
        assert looks(entries.values(), [-n for n in numbers]) == []
        assert list(entries.items()) == [(n, -n) for n in numbers]


def test_elements_are_not_hashed_and_have_no_order_of_their_own() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Elements([1]))
    with pytest.raises(IndexError):
        Elements([])[0]
    with pytest.raises(IndexError):
        Elements(None, lambda: iter(()))[0]
    with pytest.raises(StopIteration):
        next(Elements(None, lambda: iter(())))
    with pytest.raises(AttributeError, match="append"):
        Elements([1]).append(2)  # type: ignore[attr-defined]


class Renewed(KeyedProcessFunction):
    """A list whose elements live on when they are read: read late, it still holds what was added meanwhile."""

    def open(self, runtime_context: Any) -> None:
        reads = StateTtlConfig.new_builder(Time.days(1)).set_update_type(StateTtlConfig.UpdateType.OnReadAndWrite)
        descriptor = ListStateDescriptor("list", Types.LONG())
        descriptor.enable_time_to_live(reads.build())
        self.list = runtime_context.get_list_state(descriptor)

    def process_element(self, size: int, ctx: Any) -> Iterable[Any]:
        self.list.update(range(size))
        given = self.list.get()
        self.list.add_all(range(size, 2 * size))
        yield list(given) == list(range(size))
        yield list(self.list.get()) == list(range(2 * size))


@case
def test_what_is_read_late_does_not_take_back_what_was_added(env):
    got = yield env.from_collection([1, 700, 1001, 1300, 2500]).key_by(lambda n: n).process(Renewed())
    assert got == [True] * 10
