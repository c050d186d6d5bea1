"""What users write: closures, lambdas, objects, methods, and classes defined anywhere."""

from __future__ import annotations

import dataclasses
import enum
import math
import operator
import pickle
from functools import partial, reduce

import pytest

from datastream import FunctionError, ValidationError
from datastream.testing import case

FACTOR = 3


def times_factor(value):
    return value * FACTOR


class Account:
    def __init__(self, owner, amount):
        self.owner, self.amount = owner, amount

    def __eq__(self, other):
        return isinstance(other, Account) and (self.owner, self.amount) == (other.owner, other.amount)

    def __add__(self, other):
        return Account(self.owner, self.amount + other.amount)


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, value):
        return value * self.by

    def method(self, value):
        return self(value)

    @staticmethod
    def static(value):
        return value * 100

    @classmethod
    def make(cls, value):
        return cls(10)(value)


@case
def test_records_of_a_class_of_this_module(env):
    accounts = env.from_collection([Account("a", 1), Account("b", 2), Account("a", 3)])
    got = yield accounts.key_by(lambda a: a.owner).reduce(operator.add).rebalance().map(lambda a: a)
    assert all(isinstance(account, Account) for account in got)
    assert sorted((a.owner, a.amount) for a in got) == [("a", 1), ("a", 4), ("b", 2)]


@case
def test_records_of_a_local_class(env):
    class Pair:
        def __init__(self, left, right):
            self.left, self.right = left, right

        def swapped(self):
            return Pair(self.right, self.left)

    @dataclasses.dataclass
    class Sum:
        n: int

    pairs = env.from_collection([Pair(1, 2), Pair(3, 4)]).map(lambda p: p.swapped()).rebalance()
    got = yield (
        pairs.map(lambda p: p).map(lambda p: (isinstance(p, Pair), p.left, p.right)),
        env.from_collection([Sum(1), Sum(2)]).key_by(lambda s: 0).reduce(lambda a, b: Sum(a.n + b.n)),
    )
    assert sorted(got[0]) == [(True, 2, 1), (True, 4, 3)]
    assert [s.n for s in got[1]] == [1, 3]


@case
def test_closures(env):
    offset, seen = 10, {"a": 1}

    def add(value):
        def inner(x):
            return x + offset + seen["a"]

        return inner(value)

    got = yield env.from_collection([1, 2]).map(add)
    assert got == [12, 13]


@case
def test_a_closure_is_taken_as_it_was_when_the_job_started(env):
    streams = [env.from_collection([1]).map(lambda x, n=n: x * n) for n in range(3)]
    got = yield tuple(streams)
    assert got == ([0], [1], [2])


@case
def test_every_sort_of_callable(env):
    functions = [
        times_factor,
        Scale(2),
        Scale(4).method,
        Scale.static,
        Scale.make,
        partial(pow, 2),
        partial(reduce, operator.mul, [2, 3]),
        math.sqrt,
        int.__neg__,
        [5, 6, 7].__getitem__,
    ]
    one = env.from_collection([1])
    got = yield tuple(one.map(function) for function in functions)
    assert [values[0] for values in got] == [3, 2, 4, 100, 10, 2, 6, 1.0, -1, 6]


@case
def test_recursion_and_globals(env):
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    got = yield env.from_collection([10, FACTOR]).map(fibonacci).map(times_factor)
    assert got == [165, 6]


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    def __reduce__(self):
        raise TypeError("only the serializer may write it")


class CelsiusSerializer:
    def serialize(self, element, stream):
        stream.write(str(element.degrees).encode())

    def deserialize(self, stream):
        return Celsius(float(stream.read()))


@case(alone=True)
def test_a_serializer_of_the_users_own(env):
    env.register_serializer(Celsius, CelsiusSerializer())
    stream = env.from_collection([1.5, 2.5]).map(lambda d: {"at": [Celsius(d)]}).rebalance()
    got = yield stream.map(lambda record: (record["at"][0].degrees, record["at"][0]))
    assert all(type(c) is Celsius and c.degrees == degrees for degrees, c in got)
    assert sorted(degrees for degrees, _ in got) == [1.5, 2.5]


def test_a_serializer_must_be_one(run):
    with pytest.raises(ValidationError, match="needs a class and a TypeSerializer"):
        run.environment().register_serializer(Celsius, "pickle")
    with pytest.raises(ValidationError, match="needs a class and a TypeSerializer"):
        run.environment().register_serializer(Celsius, CelsiusSerializer)
    with pytest.raises(ValidationError, match="str has a form of its own"):
        run.environment().register_serializer(str, CelsiusSerializer())


def test_a_serializer_serves_the_jobs_pickles_alone(run):
    env = run.environment()
    env.register_serializer(Celsius, CelsiusSerializer())
    with pytest.raises(TypeError, match="only the serializer may write it"):
        pickle.dumps(Celsius(1.0))


class HalfRead(CelsiusSerializer):
    def deserialize(self, stream):
        return Celsius(float(stream.read(1)))


def test_a_serializer_that_does_not_read_all(run):
    env = run.environment()
    env.register_serializer(Celsius, HalfRead())
    with pytest.raises(FunctionError, match="HalfRead.deserialize left 2 of 3 bytes unread"):
        run.collect(env.from_collection([1.5]).map(Celsius).rebalance().map(lambda c: c.degrees))


class Colour(enum.Enum):
    RED = 1
    ROT = 1


@case
def test_enums_with_aliases(env):
    got = yield env.from_collection([1]).map(lambda x: Colour(x)).rebalance().map(lambda c: (c is Colour.ROT, c))
    assert got == [(True, Colour.RED)]


@case
def test_chains_of_hundreds_of_operators(env):
    stream = env.from_collection([0])
    for _ in range(400):
        stream = stream.map(lambda x: x + 1)
    got = yield stream
    assert got == [400]


class Late:
    """Keys of a number."""

    def __init__(self, size):
        self.size = size

    def __call__(self, value):
        return value % self.size


@case
def test_variables_count_as_they_are_when_a_function_is_given(env):
    numbers = env.from_collection([0, 1])
    for n in (1, 10, 100):
        numbers = numbers.map(lambda v: v + n)  # noqa: B023 - what this is about
    scale, keys, offsets = Scale(2), Late(1), {0: 5}
    numbers = numbers.map(scale)
    scale.by = 3
    keyed = numbers.key_by(keys)
    keys.size = None
    sums = keyed.reduce(lambda a, b: a + b + offsets[0])
    offsets[0] = None
    got = yield sums
    assert got == [222, 222 + 224 + 5]


def later(value):
    return value + 1


@case
def test_functions_of_one_operator_share_what_they_keep(env):
    count = 0

    def counted(value):
        nonlocal count
        count += 1
        return value, count

    got = yield env.from_collection(["a", "b", "c"]).map(counted).map(lambda v: (v[0], later(v[1])))
    assert got == [("a", 2), ("b", 3), ("c", 4)]
    assert count == 0
