"""A function that plans call and queries do not: a row so often."""

from __future__ import annotations

from datastream.table.functions.entry import Entry
from datastream.table.types.data_types import DataTypes

#: An array of this number of elements, none for a negative number.
TIMES = "$times"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        TIMES,
        (),
        (1, 1),
        lambda args: DataTypes.ARRAY(DataTypes.INT(), False),
        "((None,) * {0})",
        doc="An array of this number of elements.",
    ),
)
