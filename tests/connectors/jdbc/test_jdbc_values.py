"""Columns of values of drivers as values of tables."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from datastream.errors import DataStreamError
from datastream.table import DataTypes
from datastream.table.connectors.jdbc_values import read_column, reader_of, rows_for_driver, writer_of
from datastream.table.types.logical_types import DataType


def column(kind: DataType, *values: Any) -> list[Any]:
    return list(read_column(values, reader_of(kind, "UTC", "t, column 'x'")))


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (DataTypes.INT(), (1, None, -(2**31)), [1, None, -(2**31)]),
        (DataTypes.INT(), (True, 2), [1, 2]),
        (DataTypes.INT(), (None, None), [None, None]),
        (DataTypes.INT(), (), []),
        (DataTypes.BIGINT(), (Decimal(7), "8"), [7, 8]),
        (DataTypes.DOUBLE(), (1, 2.5, None), [1.0, 2.5, None]),
        (DataTypes.FLOAT(), (0.1,), [0.10000000149011612]),
        (DataTypes.BOOLEAN(), (1, 0, None), [True, False, None]),
        (DataTypes.STRING(), ("a", 1, None), ["a", "1", None]),
        (DataTypes.BYTES(), (b"a", bytearray(b"b"), memoryview(b"c")), [b"a", b"b", b"c"]),
        (DataTypes.DECIMAL(5, 2), (Decimal("1.5"), None), [Decimal("1.50"), None]),
    ],
)
def test_values_of_drivers(kind: DataType, values: tuple[Any, ...], expected: list[Any]) -> None:
    found = column(kind, *values)
    assert found == expected
    assert [type(each) for each in found] == [type(each) for each in expected]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (DataTypes.INT(), (1, 2**31)),
        (DataTypes.TINYINT(), (None, -129)),
        (DataTypes.INT(), (1, 2.5)),
        (DataTypes.STRING(), ("a", b"b")),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_column(kind: DataType, values: tuple[Any, ...]) -> None:
    with pytest.raises(DataStreamError, match="t, column 'x'"):
        column(kind, *values)


def test_values_for_drivers() -> None:
    kinds = [DataTypes.INT(), DataTypes.DATE()]
    writers = [writer_of(kind, "UTC", "x") for kind in kinds]
    rows = [(1, 0), (None, None)]
    assert [tuple(map(str, row)) for row in rows_for_driver(rows, kinds, writers)] == [
        ("1", "1970-01-01"),
        ("None", "None"),
    ]
    assert rows_for_driver(rows, [DataTypes.INT(), DataTypes.INT()], writers) is rows
