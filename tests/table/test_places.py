"""Places of rows in an order, beside rows that are sorted as a whole."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from datastream.runtime.hosts.relational.places import place_of
from datastream.runtime.hosts.relational.sort_limit import order_of

NAN = float("nan")
KINDS = {
    "whole numbers": [None, -(2**63), -1, 0, 1, 2**63 - 1],
    "reals": [None, float("-inf"), -0.0, 0.0, 1.5, float("inf"), NAN],
    "decimals": [None, Decimal("-1.50"), Decimal("1.5"), Decimal(10**30)],
    "numbers of several types": [-2, -1.5, Decimal("1.5"), 2, Decimal("-2")],
    "texts": [None, "", "a", "ab", "b"],
    "Booleans": [None, False, True],
}


@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
def test_rows_sort_by_their_places(values):
    draw = random.Random(str(values))
    for order in [((at, up, nulls),) for at in (0, 1) for up in (True, False) for nulls in (True, False)]:
        for both in (order, order + tuple((1 - at, not up, nulls) for at, up, nulls in order)):
            rows = [(draw.choice(values), draw.choice(values), number) for number in range(60)]
            assert [row[2] for row in sorted(rows, key=place_of(both))] == [row[2] for row in order_of(both)(rows)]


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("values", KINDS.values(), ids=KINDS)
def test_equal_values_have_one_place(values, up):
    place = place_of(((0, up, True),))
    for value, same in [*((value, value) for value in values), (-2, Decimal(-2)), (2, 2.0), (0.0, -0.0), (NAN, -NAN)]:
        assert place((value,)) == place((same,))
        assert not place((value,)) < place((same,))


def test_rows_without_an_order_have_one_place():
    assert place_of(())((1,)) == place_of(())((2,))
