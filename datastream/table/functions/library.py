"""The functions of the library by their names."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cache

from datastream.table.functions import (
    aggregates,
    arithmetic,
    collections,
    comparison,
    conditional,
    enforcing,
    hashes,
    json_functions,
    logic,
    map_pairs,
    math,
    over,
    repeating,
    strings,
    table_api,
    temporal,
)
from datastream.table.functions.entry import AggregateEntry, Entry

#: Titles of the reference -> the functions.
FIELDS: Mapping[str, tuple[Entry | AggregateEntry, ...]] = {
    "Comparison": comparison.ENTRIES,
    "Logic": logic.ENTRIES,
    "Arithmetic": arithmetic.ENTRIES,
    "Mathematics": math.ENTRIES,
    "Strings": strings.ENTRIES,
    "Dates and times": temporal.ENTRIES,
    "Conditions": conditional.ENTRIES,
    "Arrays, maps and rows": collections.ENTRIES,
    "JSON": json_functions.ENTRIES,
    "Hashes": hashes.ENTRIES,
    "Aggregates": aggregates.ENTRIES,
    "OVER windows": over.ENTRIES,
}


def entries() -> Iterator[Entry | AggregateEntry]:
    """Give all functions, by field."""
    for each in FIELDS.values():
        yield from each


@cache
def _index() -> Mapping[str, Entry | AggregateEntry]:
    found: dict[str, Entry | AggregateEntry] = {}
    for entry in (*entries(), *table_api.ENTRIES, *enforcing.ENTRIES, *map_pairs.ENTRIES, *repeating.ENTRIES):
        for name in (*entry.sql, entry.name.upper()):
            found.setdefault(name, entry)
    return found


def find(name: str) -> Entry | AggregateEntry | None:
    """Find a function by its name or operator in SQL or by its name in the Table API, in any case."""
    return _index().get(name.upper())


def nearest(name: str) -> str | None:
    """Give the function's name in SQL that is most like another one; None: none is."""
    like = difflib.get_close_matches(name.upper(), _index(), 1)
    return like[0] if like else None
