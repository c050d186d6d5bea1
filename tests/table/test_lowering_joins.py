"""Joins of changing tables, and of tables that end."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from datastream.config.settings import settings
from datastream.table.plan.expressions import Field
from datastream.table.plan.relations import Column, Join, SetOperation
from tests.table.plans import LONG, TRUTH, call, context, field_of, grouped, lower, rows, stream_of, values, where

KINDS = ["inner", "left", "right", "full", "semi", "anti"]


@pytest.fixture(autouse=True)
def local(monkeypatch, request):
    if "run" not in request.fixturenames:
        monkeypatch.setattr(settings(), "executor", "local")
        monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "7"})


def right_field(left, right, name):
    """A column of the right side, in a condition."""
    index = right.names.index(name)
    return Field(len(left.columns) + index, name, type=right.columns[index].type)


def joined(left, right, kind, condition):
    columns = left.columns
    if kind not in ("semi", "anti"):
        columns += tuple(Column(f"r_{c.name}", c.type) for c in right.columns)
    return Join(left, right, kind, condition, columns=columns)


def by_key(left, right, kind, *more):
    same = call("equals", right_field(left, right, "k"), field_of(left, "k"), type=TRUTH)
    return joined(left, right, kind, call("and", same, *more, type=TRUTH) if more else same)


def folded(lowered, found):
    """The rows of a table that was changed so; no row goes that is not there."""
    if not lowered.updates:
        return Counter(found)
    table = Counter()
    for kind, *row in found:
        table[tuple(row)] += 1 if kind in (0, 2) else -1
        assert table[tuple(row)] >= 0
    return +table


def expected(left, right, kind, matches):
    found = Counter()
    met = set()
    for row in left:
        partners = [i for i, other in enumerate(right) if matches(row, other)]
        met.update(partners)
        if kind == "semi" or kind == "anti":
            found[row] += bool(partners) is (kind == "semi")
            continue
        for i in partners:
            found[(*row, *right[i])] += 1
        if not partners and kind in ("left", "full"):
            found[(*row, None, None)] += 1
    if kind in ("right", "full"):
        for i, other in enumerate(right):
            found[(None, None, *other)] += i not in met
    return +found


def drawn(seed):
    draw = random.Random(seed)
    return [(draw.choice([0, 1, 2, 3, None]), draw.randrange(4)) for _ in range(draw.randrange(20))]


def same_key(row, other):
    return row[0] is not None and row[0] == other[0]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_joins_by_key(kind, batch):
    for seed in range(3):
        one, two = drawn(seed), drawn(seed + 100)
        left, right = values({"k": LONG, "v": LONG}, *one), values({"k": LONG, "w": LONG}, *two)
        lowered = lower(by_key(left, right, kind), context(batch=batch))
        assert lowered.updates is (not batch and kind not in ("inner", "semi"))
        found = folded(lowered, list(stream_of(lowered).execute_and_collect()))
        assert found == expected(one, two, kind, same_key)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_other_conditions(kind, batch):
    one, two = drawn(5), drawn(6)
    left, right = values({"k": LONG, "v": LONG}, *one), values({"k": LONG, "w": LONG}, *two)
    less = call("lessThan", field_of(left, "v"), right_field(left, right, "w"), type=TRUTH)
    plan = by_key(left, right, kind, less)
    lowered = lower(plan, context(batch=batch))
    found = folded(lowered, list(stream_of(lowered).execute_and_collect()))
    assert found == expected(one, two, kind, lambda a, b: same_key(a, b) and a[1] < b[1])
    plan = joined(left, right, kind, less)
    lowered = lower(plan, context(batch=batch))
    found = folded(lowered, list(stream_of(lowered).execute_and_collect()))
    assert found == expected(one, two, kind, lambda a, b: a[1] < b[1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_joins_of_groups(kind, seed):
    one, two = drawn(seed + 10), drawn(seed + 20)
    left, right = values({"k": LONG, "v": LONG}, *one), values({"k": LONG, "w": LONG}, *two)
    sums = grouped(left, ["k"], v=call("sum", field_of(left, "v")))
    counts = grouped(right, ["w"], k=call("max", field_of(right, "k")))
    plan = by_key(sums, counts, kind)
    lowered = lower(plan, context())
    assert lowered.updates
    by_k, by_w = {}, {}
    for k, v in one:
        by_k[k] = by_k.get(k, 0) + v
    for k, w in two:
        by_w[w] = max([x for x in (k, by_w.get(w)) if x is not None], default=None)
    found = folded(lowered, list(stream_of(lowered).execute_and_collect()))
    tables = list(by_k.items()), list(by_w.items())
    assert found == expected(*tables, kind, lambda a, b: a[0] is not None and a[0] == b[1])


def test_keys_that_are_expressions_and_a_join_with_itself():
    numbers = values({"k": LONG, "v": LONG}, (1, 0), (2, 0))
    following = call("equals", call("plus", field_of(numbers, "k"), 1), right_field(numbers, numbers, "k"), type=TRUTH)
    assert rows(joined(numbers, numbers, "inner", following)) == [(1, 0, 2, 0)]
    few = where(numbers, call("greaterThan", field_of(numbers, "k"), 1, type=TRUTH))
    assert sorted(rows(joined(numbers, few, "inner", None))) == [(1, 0, 2, 0), (2, 0, 2, 0)]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("kind", ["intersect", "minus"])
def test_rows_of_both_or_of_one(kind, batch):
    one, two = drawn(7), drawn(8)
    left, right = values({"k": LONG, "v": LONG}, *one), values({"k": LONG, "v": LONG}, *two)
    lowered = lower(SetOperation(left, right, kind, False, columns=left.columns), context(batch=batch))
    found = folded(lowered, list(stream_of(lowered).execute_and_collect()))
    assert found == dict.fromkeys(set(one) & set(two) if kind == "intersect" else set(one) - set(two), 1)


def test_on_both_executors(run):
    given = context()
    given.env = run.environment()
    left, right = values({"k": LONG, "v": LONG}, (1, 1), (2, 2)), values({"k": LONG, "w": LONG}, (1, 5), (1, 6))
    lowered = lower(by_key(left, right, "left"), given)
    assert folded(lowered, run.collect(stream_of(lowered))) == {(1, 1, 1, 5): 1, (1, 1, 1, 6): 1, (2, 2, None, None): 1}
