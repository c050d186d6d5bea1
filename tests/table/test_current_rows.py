"""Rows of a view, made of changes."""

from __future__ import annotations

import random
from collections import Counter

from datastream.table.results.current_rows import CurrentRows
from datastream.types import RowKind

ADD, BEFORE, AFTER, DELETE = RowKind


def shown(rows: CurrentRows) -> list[tuple[str, ...]]:
    return list(rows.page(0, len(rows) + 1))


def test_an_updated_row_keeps_its_place() -> None:
    rows = CurrentRows(False, 100)
    for kind, text in ((ADD, "a"), (ADD, "b"), (ADD, "c"), (BEFORE, "b"), (AFTER, "d"), (DELETE, "a")):
        rows.take(kind, (text,))
    assert shown(rows) == [("d",), ("c",)]


def test_of_equal_rows_one_goes() -> None:
    rows = CurrentRows(False, 100)
    for kind in (ADD, ADD, ADD, DELETE, BEFORE, ADD):
        rows.take(kind, ("a",))
    assert shown(rows) == [("a",)] * 2


def test_the_latest_are_kept() -> None:
    rows = CurrentRows(False, 2)
    for text in "abc":
        rows.take(ADD, (text,))
    rows.take(DELETE, ("a",))  # not kept any more
    assert shown(rows) == [("b",), ("c",)]


def test_a_changelog_has_all_changes() -> None:
    rows = CurrentRows(True, 2)
    for kind, text in ((ADD, "a"), (BEFORE, "a"), (AFTER, "b")):
        rows.take(kind, (text,))
    assert shown(rows) == [("-U", "a"), ("+U", "b")]


def test_random_changes() -> None:
    rows, kept = CurrentRows(False, 10_000), Counter[str]()
    for _ in range(3_000):
        text = random.choice("abcdef")
        if kept[text] and random.random() < 0.4:
            kept[text] -= 1
            if random.random() < 0.5:
                rows.take(DELETE, (text,))
                continue
            other = random.choice("abcdef")
            rows.take(BEFORE, (text,))
            rows.take(AFTER, (other,))
            text = other
        else:
            rows.take(ADD, (text,))
        kept[text] += 1
    assert Counter(text for (text,) in shown(rows)) == +kept
