"""Rows that are joined with the versions of their time, against a plain model; what is kept, and for how long."""

from __future__ import annotations

import random
from typing import Any

import pytest

from datastream.errors import ValidationError
from datastream.graph.operators import TemporalJoin
from datastream.runtime.hosts.host import Setting
from datastream.runtime.hosts.relational.temporal_join import TemporalJoinHost
from tests.support.keyed_harness import MemoryStore

INSERT, BEFORE, AFTER, DELETE = range(4)
S = 1_000_000


class Join:
    """A host with a store and a clock; each epoch has a host of its own, as behind a restart."""

    def __init__(self, join: str = "left", changes: tuple[bool, bool] = (False, True), **more: Any) -> None:
        self.op = TemporalJoin(
            0, "join", uid="j", join=join, widths=(2, 2), nulls=0, times=(1, 1), changes=changes, **more
        )
        self.store, self.now, self.watermark = MemoryStore(), 0, -1
        self.begin()

    def begin(self) -> None:
        self.host = TemporalJoinHost(self.op, Setting(max_parallelism=8, timed=False, clock=lambda: self.now))
        self.host.begin(self.store, range(8), self.watermark)

    def end(self) -> None:
        self.host.flush()

    def left(self, name: Any, second: float, key: Any = "k", kind: int | None = None) -> list[Any]:
        row = (name, int(second * S), key)
        return self.host.process(0, [row if kind is None else (kind, *row)], [key], None)[0]

    def right(self, value: Any, second: float, key: Any = "k", kind: int = INSERT) -> list[Any]:
        row = (value, int(second * S), key)
        return self.host.process(1, [(kind, *row) if self.op.changes[1] else row], [key], None)[0]

    def to(self, second: float) -> list[Any]:
        self.watermark = int(second * 1000)
        return [row for out, _ in self.host.advance(self.watermark) for row in out]

    @property
    def size(self) -> int:
        return sum(len(repr(entry)) for entry in self.store.entries.values())


def names(rows: list[Any]) -> list[tuple[Any, Any]]:
    return [(row[0], row[2]) for row in rows]


def test_a_row_has_the_version_of_its_time_when_the_watermark_has_passed_it():
    join = Join()
    assert join.left("a", 5) == join.right(1, 2) == join.right(2, 7, kind=AFTER) == []
    assert join.to(4) == []
    assert names(join.to(5)) == [("a", 1)]
    join.left("b", 7), join.left("c", 6.9), join.left("d", 9)
    assert names(join.to(8)) == [("b", 2), ("c", 1)]
    assert names(join.to(10)) == [("d", 2)]


@pytest.mark.parametrize(("join", "expected"), [("left", [("a", None), ("b", 1), ("c", None)]), ("inner", [("b", 1)])])
def test_rows_without_a_version(join, expected):
    made = Join(join)
    made.right(1, 2), made.right(1, 4, kind=DELETE)
    made.left("a", 1), made.left("b", 3), made.left("c", 4)
    assert names(made.to(10)) == expected


def test_null_is_a_key_like_others():
    join = Join()
    join.right(1, 2, key=None), join.left("a", 3, key=None)
    assert names(join.to(3)) == [("a", 1)]


def test_a_later_row_of_a_time_takes_the_place_of_the_one_before():
    join = Join()
    join.right(1, 2), join.right(2, 2), join.left("a", 2)
    assert names(join.to(2)) == [("a", 2)]


def test_replaced_versions_are_passed_over():
    join = Join()
    join.right(1, 2), join.right(1, 6, kind=BEFORE), join.right(2, 6, kind=AFTER)
    join.left("a", 3), join.left("b", 7)
    assert names(join.to(9)) == [("a", 1), ("b", 2)]


def test_kinds_of_results():
    join = Join(changes=(True, True))
    join.right(1, 2)
    for name, kind in (("a", INSERT), ("a", BEFORE), ("b", AFTER), ("b", DELETE)):
        join.left(name, 3, kind=kind)
    assert [(row[0], row[1], row[3]) for row in join.to(9)] == [
        (INSERT, "a", 1), (BEFORE, "a", 1), (AFTER, "b", 1), (DELETE, "b", 1),
    ]  # fmt: skip


def test_a_row_that_ends_a_version_where_it_has_to():
    join = Join(ends=True)
    join.right(1, 2), join.left("a", 3)
    assert names(join.to(3)) == [("a", 1)]
    join.right(1, 2, kind=BEFORE), join.left("b", 4)
    assert names(join.to(4)) == [("b", None)]


def test_late_rows_find_what_is_still_kept():
    join = Join()
    join.right(1, 2), join.right(2, 8), join.right(3, 12)
    join.left("a", 9)
    assert names(join.to(10)) == [("a", 2)]
    join.left("late", 3), join.left("less late", 8.5)
    assert names(join.to(11)) == [("late", None), ("less late", 2)]


def test_times_that_are_null():
    join = Join()
    with pytest.raises(ValidationError, match="must not be NULL"):
        join.host.process(0, [("a", None, "k")], ["k"], None)


def test_versions_that_no_row_can_ask_for_are_forgotten():
    join, sizes = Join(), []
    for second in range(86_400):
        key = f"k{second % 7}"
        join.right(second % 10, second, key, AFTER)
        join.left(second % 10, second, key)
        if second % 60 == 59:
            join.to(second - 5)
            join.end()
            sizes.append(join.size)
            join.begin()
    assert max(sizes[1300:]) <= max(sizes[10:100]) * 1.05


def test_keys_that_are_deleted_are_forgotten():
    join = Join()
    for number in range(100):
        join.right(1, 1, number), join.right(1, 2, number, DELETE)
    join.to(5)
    assert not any(values for values in map(len, join.host.states.values.values()) if values)


def test_keys_that_are_not_touched_are_forgotten_after_a_time():
    join = Join(ttl_ms=1000)
    join.right(1, 2)
    join.end()
    join.now = 1400
    join.begin()
    list(join.host.tick(1400))
    join.left("a", 3)  # so that it is kept longer
    assert names(join.to(3)) == [("a", 1)]
    join.end()
    for now, expected in ((2300, 1), (6000, None)):
        join.now = now
        join.begin()
        list(join.host.tick(now))
        join.left("b", join.watermark / 1000 + 1)
        assert names(join.to(join.watermark / 1000 + 1)) == [("b", expected)]
        join.end()


@pytest.mark.parametrize("seed", range(200))
def test_random_versions(seed):
    draw = random.Random(seed)
    join = Join(draw.choice(["left", "inner"]))
    events: list[tuple[Any, ...]] = []
    versions: dict[Any, dict[int, Any]] = {}
    for second in range(draw.randint(5, 60)):
        key = draw.choice(["a", "b", None])
        kind = draw.choice([INSERT, AFTER, AFTER, DELETE])
        versions.setdefault(key, {})[second] = None if kind == DELETE else second
        events.append((second + draw.uniform(0, 4), "right", second, second, key, kind))
        for n in range(draw.randint(0, 3)):
            at = second + draw.random()
            events.append((at + draw.uniform(0, 4), "left", f"{second}-{n}", at, draw.choice(["a", "b", "c", None])))
    expected = []
    for _, side, name, at, key, *_ in sorted(events, key=lambda each: each[0]):
        if side == "left":
            before = [time for time in versions.get(key, {}) if time <= at]
            found = versions[key][max(before)] if before else None
            expected += [(name, found)] if found is not None or join.op.join == "left" else []
    results = []
    for arrival, side, *rest in sorted(events, key=lambda each: each[0]):
        results += getattr(join, side)(*rest)
        if draw.random() < 0.3:
            results += join.to(max(join.watermark / 1000, arrival - 5))
        if draw.random() < 0.1:
            join.end()
            join.begin()
    results += join.to(1000)
    assert sorted(names(results), key=repr) == sorted(expected, key=repr)
