"""Joins and first rows of keys that are forgotten after a time, with a clock of their own."""

from __future__ import annotations

from typing import Any

import pytest

from datastream.graph.operators import Rank, TableJoin
from datastream.graph.operators.relational import FOR_GOOD
from datastream.runtime.hosts.host import Setting
from datastream.runtime.hosts.relational.choices import table_join_host
from datastream.runtime.hosts.relational.rank import rank_host
from tests.support.keyed_harness import MemoryStore

INSERT, DELETE = 0, 3


def changes(
    join: str, steps: list[tuple[int, int, int, str]], ttls: tuple[int, ...] = (), ttl_ms: int = 100
) -> list[list[Any]]:
    """What each step gives: at a time, on a side, a kind and a row. Rows live 100 ms, or as long as their side says."""
    now = [0]
    op = TableJoin(
        0,
        "join",
        uid="j",
        join=join,
        widths=(1, 1),
        changes=(True, True),
        kinds=True,
        nulls=0,
        condition=None,
        ttl_ms=ttl_ms,
        ttls=ttls,
    )
    host = table_join_host(op, Setting(max_parallelism=8, timed=False, clock=lambda: now[0]))
    store = MemoryStore()
    found = []
    for time, side, kind, row in steps:
        now[0] = time
        host.begin(store, range(8), 0)
        found.append(host.process(side, [(kind, row)], ["k"], None)[0])
        host.flush()
    return found


#: R is forgotten while L, which came again, is not; then R2 comes and goes.
STEPS = [(0, 1, INSERT, "R"), (1, 0, INSERT, "L"), (90, 0, INSERT, "L"), (150, 0, INSERT, "L"), (160, 1, INSERT, "R2")]


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("inner", [[(0, "L", "R2")] * 3, [(3, "L", "R2")] * 3]),
        ("semi", [[(0, "L")] * 3, [(3, "L")] * 3]),
        ("anti", [[(3, "L")] * 3, [(0, "L")] * 3]),
    ],
)
def test_a_row_that_comes_again_has_the_partners_of_now(join: str, expected: list[Any]) -> None:
    found = changes(join, [*STEPS, (170, 1, DELETE, "R2")])
    assert found[-2:] == expected


def test_an_outer_row_is_given_back_when_its_partner_goes() -> None:
    found = changes("left", [*STEPS, (170, 1, DELETE, "R2")])
    assert found[3] == [(0, "L", None)]
    assert found[4] == [(3, "L", None), (0, "L", "R2")] * 3
    assert found[5] == [(3, "L", "R2"), (0, "L", None)] * 3


def test_rows_live_from_their_own_last_change() -> None:
    found = changes("inner", [(0, 0, INSERT, "A"), (60, 0, INSERT, "B"), (120, 1, INSERT, "R"), (161, 1, INSERT, "S")])
    assert found == [[], [], [(0, "B", "R")], []]


@pytest.mark.parametrize(
    ("ttls", "expected"),
    [
        ((100, 1000), [[], [], [(0, "A", "S")], [(0, "B", "R"), (0, "B", "S")]]),
        ((0, 100), [[], [], [(0, "A", "S")], [(0, "B", "S")]]),
        ((1000, 100), [[], [], [(0, "A", "S")], [(0, "B", "S")]]),
        ((100, 0), [[], [], [(0, "A", "S")], [(0, "B", "R"), (0, "B", "S")]]),
    ],
)
def test_sides_have_their_own_times(ttls: tuple[int, ...], expected: list[Any]) -> None:
    steps = [(0, 1, INSERT, "R"), (150, 0, INSERT, "A"), (200, 1, INSERT, "S"), (290, 0, INSERT, "B")]
    assert changes("inner", steps, ttls, max(ttls) if all(ttls) else FOR_GOOD) == [
        expected[0],
        [] if ttls[1] == 100 else [(0, "A", "R")],
        *expected[2:],
    ]


@pytest.mark.parametrize(
    ("order", "newest", "expected"),
    [
        (((1, False, False),), False, [[(0, "k", 5)], [(1, "k", 5), (2, "k", 7)], [], [(0, "k", 1)]]),
        ((), True, [[(0, "k", 5)], [(1, "k", 5), (2, "k", 7)], [(1, "k", 7), (2, "k", 6)], [(0, "k", 1)]]),
    ],
)
def test_the_first_row_of_a_key_is_forgotten(order: Any, newest: bool, expected: list[Any]) -> None:
    now = [0]
    options = {"numbered": False, "changes": False, "newest": newest, "ttl_ms": 100}
    op = Rank(0, "rank", uid="r", key="key,", order=order, first=1, last=1, **options)
    host = rank_host(op, Setting(max_parallelism=8, timed=False, clock=lambda: now[0]))
    store, found = MemoryStore(), []
    for time, number in ((0, 5), (50, 7), (120, 6), (400, 1)):
        now[0] = time
        host.begin(store, range(8), 0)
        found.append(host.process(0, [("k", number)], ["k"], None)[0])
        host.flush()
    assert found == expected
