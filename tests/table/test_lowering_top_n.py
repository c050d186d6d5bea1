"""ORDER BY with LIMIT of tables without end."""

from __future__ import annotations

import random

import pytest

from datastream.config.settings import settings
from datastream.table.plan.expressions import Order
from datastream.table.plan.relations import Sort
from tests.table.plans import LONG, call, context, field_of, grouped, lower, stream_of, values


@pytest.fixture(autouse=True)
def short_epochs(monkeypatch, request):
    if "run" not in request.fixturenames:
        monkeypatch.setattr(settings(), "executor", "local")
        monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "4"})


def top(relation, name, ascending=True, offset=0, limit=2):
    order = (Order(field_of(relation, name), ascending),)
    return Sort(relation, order, offset, limit, columns=relation.columns)


def folded(changes, most):
    """The rows that are left; there are never more than may be."""
    table = []
    for kind, *row in changes:
        if kind in (0, 2):
            table.append(tuple(row))
        else:
            table.remove(tuple(row))
        assert len(table) <= most
    return sorted(table, key=str)


def found(plan):
    lowered = lower(plan, context())
    assert lowered.updates
    return list(stream_of(lowered).execute_and_collect())


def test_rows_that_enter_push_others_out():
    numbers = values({"a": LONG}, (5,), (7,), (3,), (9,), (None,))
    assert found(top(numbers, "a")) == [(0, 5), (0, 7), (3, 7), (0, 3), (3, 5), (0, None)]
    assert found(top(numbers, "a", False))[:4] == [(0, 5), (0, 7), (3, 5), (0, 9)]


@pytest.mark.parametrize("offset", [0, 1, 3])
@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_random_rows_and_groups(seed, ascending, offset):
    draw = random.Random(seed)
    given = [(draw.randrange(6), draw.randrange(50)) for _ in range(30)]
    numbers = values({"k": LONG, "v": LONG}, *given)
    wanted = sorted(given, key=lambda r: r[1], reverse=not ascending)[offset : offset + 2]
    rows = folded(found(top(numbers, "v", ascending, offset)), 2)
    assert sorted(v for _, v in rows) == sorted(v for _, v in wanted)
    sums = grouped(numbers, ["k"], total=call("sum", field_of(numbers, "v")))
    totals = {}
    for k, v in given:
        totals[k] = totals.get(k, 0) + v
    wanted = sorted(totals.values(), reverse=not ascending)[offset : offset + 2]
    rows = folded(found(top(sums, "total", ascending, offset)), 2)
    assert sorted(total for _, total in rows) == sorted(wanted)


def test_on_both_executors(run):
    given = context()
    given.env = run.environment()
    numbers = values({"a": LONG}, (5,), (7,), (3,), (9,))
    assert folded(run.collect(stream_of(lower(top(numbers, "a"), given))), 2) == [(3,), (5,)]
