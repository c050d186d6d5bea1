"""Pickles of the values of tables."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import Any

import pytest

from datastream.types import Row
from datastream.types.pickles import dumps, dumps_plain

CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "value",
    [
        ([1, None, "a"], [(1, 2.5, "é", b"\0", True), (-(2**70), "\ud800", [{"a": {1}}], (), frozenset())]),
        {("key", 1): [Decimal("1.50"), {}]},
        [Row(a=1), Row(a=2)],
    ],
    ids=["built-in", "decimals", "rows"],
)
def test_what_is_written_is_read(value: Any) -> None:
    assert pickle.loads(dumps_plain(value)) == value


def test_equal_values_have_equal_pickles() -> None:
    text = "a text"
    twice, equal = [text, text], [text, "".join(["a ", "text"])]
    assert dumps_plain(twice) == dumps_plain(equal)
    assert dumps(twice) != dumps(equal)


def test_what_contains_itself_is_written() -> None:
    found = pickle.loads(dumps_plain([CYCLE]))[0]
    assert found[0] is found
