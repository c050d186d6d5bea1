"""GROUP BY: changes row by row as Flink gives them, once an epoch, and last results in batch mode."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError, UnsupportedOperation
from tests.table.plans import (
    DOUBLE,
    LONG,
    TEXT,
    TRUTH,
    Functions,
    UserFunction,
    call,
    context,
    field_of,
    grouped,
    lower,
    project,
    rows,
    stream_of,
    values,
    where,
)

SALES = values({"item": TEXT, "price": LONG}, ("a", 1), ("b", 5), ("a", None), ("a", 2), (None, 4), ("b", 0))
ITEM, PRICE = field_of(SALES, "item"), field_of(SALES, "price")
TOTAL, COUNT, MOST = call("sum", PRICE), call("count"), call("max", PRICE)


@pytest.fixture(autouse=True)
def local(monkeypatch, request):
    if "run" not in request.fixturenames:
        monkeypatch.setattr(settings(), "executor", "local")


@pytest.fixture
def short_epochs(monkeypatch):
    """Epochs of two records."""
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "2"})


def of_key(changes, key):
    return [change for change in changes if change[1] == key]


def folded(changes):
    """The rows of a table that was changed so; no row goes that is not there."""
    found = Counter()
    for kind, *row in changes:
        found[tuple(row)] += 1 if kind in (0, 2) else -1
        assert found[tuple(row)] >= 0
    return +found


@pytest.mark.parametrize("epochs", ["long", "short"])
def test_each_row_gives_a_change_unless_nothing_changes(epochs, request):
    if epochs == "short":
        request.getfixturevalue("short_epochs")
    lowered = lower(grouped(SALES, ["item"], total=TOTAL), context())
    assert lowered.updates
    changes = rows(grouped(SALES, ["item"], total=TOTAL))
    assert of_key(changes, "a") == [(0, "a", 1), (1, "a", 1), (2, "a", 3)]
    assert of_key(changes, "b") == [(0, "b", 5)], "5 + 0 is no change"
    assert of_key(changes, None) == [(0, None, 4)]


def test_without_keys():
    assert rows(grouped(SALES, [], n=COUNT))[-1] == (2, 6)
    assert rows(grouped(where(SALES, call("greaterThan", PRICE, 9, type=TRUTH)), [], n=COUNT)) == []
    nothing = where(SALES, call("greaterThan", PRICE, 9, type=TRUTH))
    assert rows(grouped(nothing, [], n=COUNT, t=TOTAL), context(batch=True)) == [(0, None)]
    assert rows(grouped(nothing, ["item"], n=COUNT), context(batch=True)) == []


def test_batch_mode_gives_last_results(short_epochs):
    lowered = lower(grouped(SALES, ["item"], t=TOTAL, n=COUNT), context(batch=True))
    assert not lowered.updates
    found = rows(grouped(SALES, ["item"], t=TOTAL, n=COUNT), context(batch=True))
    assert sorted(found, key=str) == [("a", 3, 3), ("b", 5, 2), (None, 4, 1)]


def test_mini_batches_give_one_change_an_epoch():
    given = context(config={"table.exec.mini-batch.enabled": "true"})
    found = rows(grouped(SALES, ["item"], t=TOTAL), given)
    assert sorted(found, key=str) == [(0, "a", 3), (0, "b", 5), (0, None, 4)]


def test_distinct_rows_are_no_changes(short_epochs):
    plan = grouped(project(SALES, item=ITEM), ["item"])
    assert not lower(plan, context()).updates
    assert sorted(rows(plan), key=str) == [("a",), ("b",), (None,)]


def test_distinct_and_filter():
    numbers = values({"k": LONG, "v": LONG, "p": TRUTH}, (1, 2, True), (1, 2, None), (1, 3, False), (1, None, True))
    v, p = field_of(numbers, "v"), field_of(numbers, "p")
    plan = grouped(
        numbers,
        ["k"],
        once=call("count", v, distinct=True),
        total=call("sum", v, distinct=True),
        some=call("count", v, filter=p),
    )
    assert rows(plan)[-1] == (2, 1, 2, 5, 1)


def test_groups_of_groups_take_rows_out(short_epochs):
    inner = grouped(SALES, ["item"], total=TOTAL)
    total = field_of(inner, "total")
    outer = grouped(inner, ["total"], n=COUNT, most=call("max", total), once=call("sum", total, distinct=True))
    changes = rows(outer)
    assert folded(changes) == {(3, 1, 3, 3): 1, (5, 1, 5, 5): 1, (4, 1, 4, 4): 1}
    assert (3, 1, 1, 1, 1) in changes, "the group of 1 has gone"
    overall = grouped(inner, [], n=COUNT, most=call("max", total), sum=call("sum", total))
    assert folded(rows(overall)) == {(3, 5, 12): 1}


def test_what_is_filtered_behind_a_group():
    inner = grouped(SALES, ["item"], total=TOTAL)
    big = where(inner, call("greaterThan", field_of(inner, "total"), 2, type=TRUTH))
    shown = project(big, t=call("plus", field_of(inner, "total"), 1), item=field_of(inner, "item"))
    assert folded(rows(shown)) == {(4, "a"): 1, (6, "b"): 1, (5, None): 1}


@pytest.mark.parametrize("mini_batch", ["false", "true"])
@pytest.mark.parametrize("seed", range(4))
def test_random_changes_fold_to_the_groups(seed, mini_batch, short_epochs, monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "7"})
    draw = random.Random(seed)
    given = [(draw.randrange(3), draw.choice([None, 0, 1, 2])) for _ in range(40)]
    numbers = values({"k": LONG, "v": LONG}, *given)
    inner = grouped(numbers, ["k"], v=call("sum", field_of(numbers, "v")))
    v = field_of(inner, "v")
    outer = grouped(inner, ["v"], n=COUNT, k=call("max", field_of(inner, "k")), d=call("count", v, distinct=True))
    sums = {k: None for k, _ in given}
    for k, value in given:
        if value is not None:
            sums[k] = (sums[k] or 0) + value
    wanted = {}
    for k, total in sums.items():
        wanted.setdefault(total, []).append(k)
    found = folded(rows(outer, context(config={"table.exec.mini-batch.enabled": mini_batch})))
    assert found == {(total, len(ks), max(ks), 0 if total is None else 1): 1 for total, ks in wanted.items()}


def test_nan_is_a_key():
    numbers = values({"x": DOUBLE, "y": DOUBLE}, (float("nan"), 1.0), (float("nan"), 2.0), (1.0, 2.0))
    found = [r for r in rows(grouped(numbers, ["x"], n=COUNT)) if r[0] == 2]
    assert len(found) == 1 and found[0][1] != found[0][1] and found[0][2] == 2
    assert len(rows(grouped(numbers, ["x", "y"], n=COUNT))) == 3


class Longest:
    def create_accumulator(self):
        return [""]

    def accumulate(self, accumulator, text):
        if text is not None and len(text) > len(accumulator[0]):
            accumulator[0] = text

    def get_value(self, accumulator):
        return accumulator[0]


def test_user_aggregates(short_epochs):
    words = values({"w": TEXT}, ("a",), ("ccc",), ("bb",), (None,))
    functions = Functions({"longest": UserFunction("longest", "aggregate", Longest(), TEXT)})
    plan = grouped(words, [], w=call("longest", field_of(words, "w"), type=TEXT))
    assert rows(plan, context(functions=functions)) == [(0, "a"), (1, "a"), (2, "ccc")]
    inner = grouped(words, ["w"], n=COUNT)
    outer = grouped(inner, [], w=call("longest", field_of(inner, "w"), type=TEXT))
    with pytest.raises(UnsupportedOperation, match="retract"):
        rows(outer, context(functions=functions))


class Failing(Longest):
    def accumulate(self, accumulator, text):
        raise KeyError(text)


def test_errors_name_the_method_and_the_row():
    words = values({"w": TEXT}, ("a",))
    functions = Functions({"failing": UserFunction("failing", "aggregate", Failing(), TEXT)})
    plan = grouped(words, [], w=call("failing", field_of(words, "w"), type=TEXT))
    with pytest.raises(FunctionError) as error:
        rows(plan, context(functions=functions))
    assert error.value.failure.function == "Failing.accumulate"
    assert error.value.failure.record == "('a',)"


def test_on_both_executors(run):
    given = context()
    given.env = run.environment()
    found = run.collect(stream_of(lower(grouped(SALES, ["item"], total=TOTAL, most=MOST), given)))
    assert folded(found) == {("a", 3, 2): 1, ("b", 5, 5): 1, (None, 4, 4): 1}
