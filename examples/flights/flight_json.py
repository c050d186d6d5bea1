"""A flight as JSON: all columns of the table, missing values as null."""

from __future__ import annotations

import json

from parsing import MISSING, Flight, midnight, since_midnight
from pyflink.common import Row, Types

TEXTS = frozenset({"carrier", "tailnum", "origin", "dest", "time_hour"})
"""Columns of text; all others hold whole numbers."""

FLIGHT = Types.ROW_NAMED(
    ["year", "month", "day", "dep_time", "dep_delay", "arr_delay", "carrier", "tailnum", "origin"],
    [*[Types.INT()] * 6, *[Types.STRING()] * 3],
)
"""The columns that the job reads."""


def to_json(row: dict[str, str]) -> bytes:
    """A row of the table, by its columns' names, as a JSON object."""
    values = {name: None if text in MISSING else _value(name, text) for name, text in row.items()}
    return json.dumps(values, separators=(",", ":")).encode()


def _value(name: str, text: str) -> str | int:
    return text if name in TEXTS else int(text)


def flight_of(row: Row) -> Flight:
    """What the job needs of a JSON object that was read as a `FLIGHT`."""
    left = None if row.dep_time is None else midnight(row.year, row.month, row.day) + since_midnight(row.dep_time)
    return Flight(row.carrier, row.tailnum or "", row.origin, left, row.dep_delay, row.arr_delay)
