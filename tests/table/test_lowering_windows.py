"""Window aggregates of event time, and window table functions."""

from __future__ import annotations

import random

import pytest

from datastream.config.settings import settings
from datastream.errors import FunctionError
from datastream.table.plan.relations import Column, Window, WindowTable
from tests.table.plans import LONG, TIME, call, context, field_of, lower, rows, stream_of, timed, values, windowed

S = 1_000_000


@pytest.fixture(autouse=True)
def local(monkeypatch, request):
    if "run" not in request.fixturenames:
        monkeypatch.setattr(settings(), "executor", "local")


def table(*given, delay=0):
    """Rows of (second, value)."""
    return timed(values({"ts": TIME, "v": LONG}, *((s * S, v) for s, v in given)), "ts", delay * S)


def aggregated(relation, window, keys=()):
    v = field_of(relation, "v")
    return windowed(relation, window, list(keys), n=call("count"), total=call("sum", v), most=call("max", v))


def seconds(found):
    return [(*r[:-2], r[-2] // S, r[-1] // S) for r in found]


def test_tumbling_windows():
    plan = aggregated(table((1, 1), (2, 2), (9, None), (11, 5)), Window("tumble", 0, 10 * S))
    assert not lower(plan, context()).updates
    assert sorted(seconds(rows(plan))) == [(1, 5, 5, 10, 20), (3, 3, 2, 0, 10)]


def test_rows_behind_the_watermark_are_dropped(monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "1"})
    late = table((1, 1), (12, 5), (3, 2), (11, 1))
    assert sorted(seconds(rows(aggregated(late, Window("tumble", 0, 10 * S))))) == [(1, 1, 1, 0, 10), (2, 6, 5, 10, 20)]
    waiting = table((1, 1), (12, 5), (3, 2), (11, 1), delay=5)
    assert sorted(seconds(rows(aggregated(waiting, Window("tumble", 0, 10 * S)))))[1] == (2, 6, 5, 10, 20)
    assert sorted(seconds(rows(aggregated(waiting, Window("tumble", 0, 10 * S)))))[0] == (2, 3, 2, 0, 10)


def ends_of(window, time):
    """The windows of a time, by the definition of their kind."""
    size, slide, offset = window.size_us, window.slide_us, window.offset_us
    if window.kind == "tumble":
        start = time - (time - offset) % size
        return [(start, start + size)]
    if window.kind == "cumulate":
        start = time - (time - offset) % size
        return [(start, end) for end in range(start + slide, start + size + 1, slide) if end > time]
    last = time - (time - offset) % slide
    return [(start, start + size) for start in range(last, time - size, -slide)]


WINDOWS = [
    Window("tumble", 0, 10 * S, offset_us=3 * S),
    Window("hop", 0, 10 * S, 5 * S),
    Window("hop", 0, 10 * S, 4 * S, 1 * S),
    Window("hop", 0, 4 * S, 10 * S),
    Window("cumulate", 0, 12 * S, 4 * S),
]


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("window", WINDOWS, ids=lambda w: f"{w.kind}-{w.size_us // S}-{w.slide_us // S}")
def test_windows_have_what_is_in_them(window, batch, monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "5"})
    draw = random.Random(window.size_us + window.slide_us)
    given = [(max(0, i // 2 + draw.randrange(-6, 6)) + (40 if i > 20 else 0), draw.randrange(9)) for i in range(40)]
    plan = table(*given, delay=100)
    wanted = {}
    for second, v in given:
        for span in ends_of(window, second * S):
            wanted.setdefault((v % 3, *span), []).append(v)
    keyed = values({"ts": TIME, "v": LONG, "k": LONG}, *((s * S, v, v % 3) for s, v in given))
    plan = timed(keyed, "ts", 100 * S)
    found = rows(aggregated(plan, window, ["k"]), context(batch=batch))
    made = [(k, len(vs), sum(vs), max(vs), start, end) for (k, start, end), vs in wanted.items()]
    assert sorted(found) == sorted(made)


@pytest.mark.parametrize("window", WINDOWS[:3] + WINDOWS[4:], ids=lambda w: f"{w.kind}-{w.size_us // S}")
def test_windows_that_end_while_rows_come(window, monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "3"})
    given = [(i, i) for i in range(60)]
    wanted = {}
    for second, v in given:
        for span in ends_of(window, second * S):
            wanted.setdefault(span, []).append(v)
    found = rows(aggregated(table(*given), window))
    assert found == sorted(
        [(len(vs), sum(vs), max(vs), *span) for span, vs in wanted.items()], key=lambda r: (r[-1], r[-2])
    )


@pytest.mark.parametrize("window", WINDOWS[:3] + WINDOWS[4:], ids=lambda w: f"{w.kind}-{w.size_us // S}")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_late_row_is_in_the_windows_that_have_not_ended(window, seed, monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "1"})
    draw = random.Random(seed)
    given = [(max(0, i + draw.randrange(-12, 6)), i % 4, i) for i in range(80)]
    wanted, latest = {}, 0
    for second, k, v in given:
        for span in ends_of(window, second * S):
            if span[1] > latest - 3 * S:
                wanted.setdefault((k, *span), []).append(v)
        latest = max(latest, second * S)
    keyed = values({"ts": TIME, "v": LONG, "k": LONG}, *((s * S, v, k) for s, k, v in given))
    found = rows(aggregated(timed(keyed, "ts", 3 * S), window, ["k"]))
    made = [(k, len(vs), sum(vs), max(vs), start, end) for (k, start, end), vs in wanted.items()]
    assert sorted(found) == sorted(made)


def test_sessions(monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "2"})
    given = table((1, 1), (3, 2), (9, 5), (6, 1), (20, 7), (22, 8), (40, 1), delay=8)
    found = seconds(rows(aggregated(given, Window("session", 0, 4 * S))))
    assert found == [(4, 9, 5, 1, 13), (2, 15, 8, 20, 26), (1, 1, 1, 40, 44)]


def test_late_rows_of_sessions(monkeypatch):
    monkeypatch.setattr(settings(), "properties", {"datastream.epoch.max-records": "1"})
    given = table((1, 1), (20, 2), (2, 9), (17, 3), (40, 1))
    found = seconds(rows(aggregated(given, Window("session", 0, 4 * S))))
    assert found == [(1, 1, 1, 1, 5), (2, 5, 3, 17, 24), (1, 1, 1, 40, 44)]


def test_distinct_over_slices():
    relation = table((1, 1), (6, 1), (7, 2))
    v = field_of(relation, "v")
    window = Window("hop", 0, 10 * S, 5 * S)
    plan = windowed(relation, window, [], n=call("count", v, distinct=True), s=call("sum", v, distinct=True))
    assert seconds(rows(plan)) == [(1, 1, -5, 5), (2, 3, 0, 10), (2, 3, 5, 15)]


def test_window_table_functions():
    relation = table((7, 1))
    columns = (*relation.columns, *(Column(n, TIME) for n in ("window_start", "window_end", "window_time")))

    def made(window):
        return [
            (start // S, end // S, end - last)
            for _, _, start, end, last in rows(WindowTable(relation, window, columns=columns))
        ]

    assert made(Window("tumble", 0, 5 * S)) == [(5, 10, 1000)]
    assert made(Window("tumble", 0, 5 * S, offset_us=S)) == [(6, 11, 1000)]
    assert made(Window("hop", 0, 10 * S, 5 * S)) == [(5, 15, 1000), (0, 10, 1000)]
    assert made(Window("cumulate", 0, 10 * S, 2 * S)) == [(0, 8, 1000), (0, 10, 1000)]
    assert made(Window("session", 0, 5 * S)) == [(7, 12, 1000)]


def test_a_row_without_time_is_an_error():
    relation = timed(values({"ts": TIME, "v": LONG}, (None, 1)), "ts")
    with pytest.raises(FunctionError, match="'ts' must not be NULL"):
        rows(aggregated(relation, Window("tumble", 0, S)))
    with pytest.raises(FunctionError, match="must not be NULL"):
        rows(aggregated(relation, Window("tumble", 0, S)), context(batch=True))


def test_on_both_executors(run):
    given = context()
    given.env = run.environment()
    plan = aggregated(table((1, 1), (2, 2), (9, None), (11, 5)), Window("hop", 0, 10 * S, 5 * S))
    assert sorted(seconds(run.collect(stream_of(lower(plan, given))))) == [
        (1, 5, 5, 10, 20),
        (2, 3, 2, -5, 5),
        (2, 5, 5, 5, 15),
        (3, 3, 2, 0, 10),
    ]
