"""Draws Avro schemas of every kind, each with values of it, for generic records."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

#: A schema, and a strategy of its values.
Drawn = tuple[Any, st.SearchStrategy[Any]]

_numbers = itertools.count()
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
_UTC_TIMES = st.datetimes(timezones=st.just(dt.UTC))
_FLOATS = st.floats(width=32, allow_nan=False)


def _millis(value: Any) -> Any:
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


def _logical(base: str, logical: str, found: st.SearchStrategy[Any], **more: Any) -> Drawn:
    return {"type": base, "logicalType": logical, **more}, found


LEAVES: list[Drawn] = [
    ("null", st.none()),
    ("boolean", st.booleans()),
    ("int", st.integers(-(1 << 31), (1 << 31) - 1)),
    ("long", st.integers(-(1 << 63), (1 << 63) - 1)),
    ("float", _FLOATS),
    ("double", st.floats(allow_nan=False)),
    ("bytes", st.binary(max_size=4)),
    ("string", _TEXT),
    _logical("int", "date", st.dates()),
    _logical("int", "time-millis", st.times().map(_millis)),
    _logical("long", "time-micros", st.times()),
    _logical("long", "timestamp-millis", _UTC_TIMES.map(_millis)),
    _logical("long", "timestamp-micros", _UTC_TIMES),
    _logical("long", "local-timestamp-millis", st.datetimes().map(_millis)),
    _logical("long", "local-timestamp-micros", st.datetimes()),
    _logical("string", "uuid", st.uuids()),
    _logical("bytes", "decimal", st.integers(-9999, 9999).map(lambda n: Decimal(n).scaleb(-2)), precision=4, scale=2),
]


@st.composite
def leaves(draw: st.DrawFn) -> Drawn:
    kind = draw(st.integers(0, len(LEAVES) + 2))
    if kind < len(LEAVES):
        return LEAVES[kind]
    name = f"n{next(_numbers):08d}"
    if kind == len(LEAVES):
        return {"type": "fixed", "name": name, "size": 3}, st.binary(min_size=3, max_size=3)
    if kind == len(LEAVES) + 1:
        decimals = st.integers(-99999, 99999).map(lambda n: Decimal(n).scaleb(-1))
        fixed = {"type": "fixed", "name": name, "size": 4, "logicalType": "decimal", "precision": 5, "scale": 1}
        return fixed, decimals
    return {"type": "enum", "name": name, "symbols": ["A", "B", "C"]}, st.sampled_from("ABC")


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2, zero: bool = True) -> Drawn:
    """Pairs of a schema and its values.

    Args:
        depth: How many types may stand inside each other.
        zero: Whether null itself is drawn.
    """
    kind = draw(st.sampled_from(["leaf", "array", "map", "nullable", "union", "record"])) if depth else "leaf"
    if kind == "record":
        return draw(records(depth - 1))
    if kind == "union":
        return draw(unions())
    if kind == "leaf":
        found = draw(leaves())
        return found if zero or found[0] != "null" else LEAVES[2]
    schema, values = draw(schemas(depth - 1, zero=False))
    if kind == "array":
        return {"type": "array", "items": schema}, st.lists(values, max_size=3)
    if kind == "map":
        return {"type": "map", "values": schema}, st.dictionaries(_TEXT, values, max_size=3)
    if isinstance(schema, list):
        return schema, values
    return ["null", schema], st.none() | values


@st.composite
def unions(draw: st.DrawFn) -> Drawn:
    """Unions of several leaves that Python values tell apart."""
    some = st.sampled_from([0, 1, 2, 3, 6, 7])  # fastavro takes numbers for times and text for dates
    picked = draw(st.lists(some, min_size=2, max_size=4, unique_by=lambda i: _base(LEAVES[i][0])))
    return [LEAVES[i][0] for i in picked], st.one_of([LEAVES[i][1] for i in picked])


@st.composite
def records(draw: st.DrawFn, depth: int = 2) -> Drawn:
    """Records of up to four fields."""
    fields = [draw(schemas(depth)) for _ in range(draw(st.integers(0, 4)))]
    content = {
        "type": "record",
        "name": f"n{next(_numbers):08d}",
        "fields": [{"name": f"f{i}", "type": schema} for i, (schema, _) in enumerate(fields)],
    }
    return content, st.fixed_dictionaries({f"f{i}": values for i, (_, values) in enumerate(fields)})


def _base(schema: Any) -> str:
    return schema["type"] if isinstance(schema, dict) else schema
