"""A function that plans call and queries do not: a row so often."""

from __future__ import annotations

from datastream.table.data_types import DataTypes
from datastream.table.functions.entry import Entry

#: An array of so many elements, none for a negative number.
TIMES = "$times"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        TIMES,
        (),
        (1, 1),
        lambda args: DataTypes.ARRAY(DataTypes.INT(), False),
        "((None,) * {0})",
        doc="An array of so many elements.",
    ),
)
