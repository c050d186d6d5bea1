"""Which values an INSERT takes into a column of another type."""

from __future__ import annotations

import pytest

from datastream.table import DataTypes as T
from datastream.table.functions.implicit_casts import fits


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (T.TINYINT(), T.INT()),
        (T.BIGINT(), T.FLOAT()),
        (T.DECIMAL(20, 10), T.FLOAT()),
        (T.DOUBLE(), T.DECIMAL(5, 2)),
        (T.DECIMAL(20, 10), T.DECIMAL(3, 0)),
        (T.CHAR(3), T.VARCHAR(2)),
        (T.STRING(), T.VARCHAR(5)),
        (T.BINARY(3), T.BYTES()),
        (T.TIMESTAMP(6), T.TIMESTAMP_LTZ(3)),
        (T.TIMESTAMP(3), T.DATE()),
        (T.TIMESTAMP(3), T.TIME(0)),
        (T.ARRAY(T.INT()), T.ARRAY(T.BIGINT())),
        (T.ROW([T.FIELD("a", T.INT())]), T.ROW([T.FIELD("b", T.BIGINT())])),
        (T.NULL(), T.INT()),
    ],
)
def test_that_fit(source, target):
    assert fits(source, target)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (T.BIGINT(), T.INT()),
        (T.DOUBLE(), T.FLOAT()),
        (T.STRING(), T.CHAR(3)),
        (T.BYTES(), T.BINARY(3)),
        (T.DATE(), T.TIMESTAMP(3)),
        (T.TIMESTAMP_LTZ(3), T.DATE()),
        (T.INT(), T.STRING()),
        (T.MAP(T.STRING(), T.BIGINT()), T.MAP(T.STRING(), T.INT())),
        (T.ROW([T.FIELD("a", T.INT())]), T.ROW([T.FIELD("a", T.INT()), T.FIELD("b", T.INT())])),
    ],
)
def test_that_do_not_fit(source, target):
    assert not fits(source, target)
