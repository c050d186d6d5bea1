"""Keys of many kinds: what is equal in Python is one key, on whichever subtask it was made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from datastream.functions import KeyedProcessFunction, ProcessWindowFunction
from datastream.state import ValueStateDescriptor
from datastream.testing import case
from datastream.types import Row, Types
from tests.support.key_kinds import KINDS


def count(env, keys, parallelism):
    """The final count of each key that was counted, for keys that are made in two subtasks each."""
    pairs = env.from_collection([(key, 1) for key in keys for _ in range(4)]).rebalance().map(lambda p: p)
    return pairs.key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).set_parallelism(parallelism)


@case
def test_equal_keys_are_one_key(env):
    kinds = list(KINDS.items())
    got = yield tuple(count(env, [key for equal in keys for key in equal], 3).map(lambda p: p[1]) for _, keys in kinds)
    for (kind, keys), counts in zip(kinds, got, strict=True):
        expected = Counter(n for equal in keys for n in range(1, 4 * len(equal) + 1))
        assert Counter(counts) == expected, kind


@case
def test_keys_come_back_as_they_were(env):
    keys = [key for kind in KINDS.values() for equal in kind for key in equal]
    got = yield env.from_collection(keys).key_by(lambda k: k).map(lambda k: k)
    assert Counter((type(k), k) for k in got) == Counter((type(k), k) for k in keys)


class KeyText(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield repr(ctx.get_current_key())


@case
def test_keys_of_a_declared_type_are_what_the_selector_gave(env):
    """State is found by them: rows stay without names, and a FLOAT keeps its digits, as in older checkpoints."""
    numbers = env.from_collection([1, 1])
    rows = numbers.key_by(lambda n: Row(n, "k"), key_type=Types.ROW([Types.LONG(), Types.STRING()]))
    floats = numbers.key_by(lambda n: n / 10, key_type=Types.FLOAT())
    got = yield rows.process(KeyText()), floats.process(KeyText())
    assert got == (["<Row(1, 'k')>"] * 2, ["0.1"] * 2)


@case
def test_local_class_as_key(env):
    @dataclass(frozen=True)
    class Local:
        n: int

    got = yield count(env, [Local(1), Local(1), Local(2)], 2).map(lambda p: (p[0].n, p[1]))
    assert sorted(got) == [(1, n) for n in range(1, 9)] + [(2, n) for n in range(1, 5)]


class Named:
    """Knows itself which others equal it."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Named) and self.name.lower() == other.name.lower()

    def __hash__(self):
        return hash(self.name.lower())


class Visits(KeyedProcessFunction):
    def open(self, runtime_context):
        self.visits = runtime_context.get_state(ValueStateDescriptor("visits", Types.INT()))

    def process_element(self, value, ctx):
        self.visits.update((self.visits.value() or 0) + 1)
        yield ctx.get_current_key(), self.visits.value()


@case
def test_any_value_that_pickles_is_a_key(env):
    keys = [[1], [2], [1], {"a": [1]}, {"a": [1]}, ("t", [1]), ("t", [1]), float("nan"), float("nan"), {1, 2}, {2, 1}]
    got = yield env.from_collection(keys).rebalance().map(lambda k: k).key_by(lambda k: k).process(Visits())
    met = Counter(repr(key) for key, _ in got)
    assert met == Counter(map(repr, keys))
    assert all(sorted(n for key, n in got if repr(key) == name) == list(range(1, met[name] + 1)) for name in met)


@case
def test_objects_that_know_their_equality_are_keys_by_their_pickles(env):
    keys = [Named("a"), Named("A"), Named("a")]
    got = yield env.from_collection(keys).key_by(lambda k: k).process(Visits()).map(lambda p: (p[0].name, p[1]))
    assert sorted(got) == [("A", 1), ("a", 1), ("a", 2)]


class Whose(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, sorted(n for _, n in elements)


@case
def test_window_functions_see_such_keys_as_they_were(env):
    pairs = env.from_collection([([1], 1), ([2], 2), ([1], 3), ([2], 4)])
    got = yield pairs.key_by(lambda p: p[0]).count_window(2).process(Whose())
    assert sorted(got) == [([1], [1, 3]), ([2], [2, 4])]
