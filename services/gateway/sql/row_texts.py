"""Rows as JSON, in the two forms of Flink's SQL gateway."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from datastream.table.connectors.formats.format import Layout
from datastream.table.connectors.formats.registry import find_format
from datastream.table.plan.relations import Column
from datastream.table.results.cell_text import cell_text
from datastream.table.types.logical_types import DataType

#: A function: the values of a row as they are inside -> a list as JSON.
Fields = Callable[[tuple[Any, ...]], str]
_RAW = dict[str, msgspec.Raw]


def plain_fields(kinds: Sequence[DataType], zone: dt.tzinfo) -> Fields:
    """Of the form PLAIN_TEXT: texts as in printed tables.

    Args:
        kinds: Types of the columns.
        zone: In which TIMESTAMP_LTZ is shown.
    """
    texts = [cell_text(kind, zone) for kind in kinds]

    def fields(values: tuple[Any, ...]) -> str:
        shown = [None if value is None else text(value) for text, value in zip(texts, values, strict=True)]
        return json.dumps(shown, ensure_ascii=False)

    return fields


def json_fields(kinds: Sequence[DataType]) -> Fields:
    """Of the form JSON: values as the format ``json`` writes them, with times of ISO 8601.

    Args:
        kinds: Types of the columns.

    Raises:
        ValidationError: A type has no form in JSON, such as a map whose keys are no texts.
    """
    form = find_format("json", "the result")
    columns = tuple(Column(f"f{place}", kind) for place, kind in enumerate(kinds))
    options = {each.name: each.default for each in form.options}
    options |= {"timestamp-format.standard": "iso-8601", "map-null-key.mode": "literal"}
    encoder = form.encoder(Layout(columns, "the result"), options)

    def fields(values: tuple[Any, ...]) -> str:
        # Their bytes are taken as they are: a number of many digits is not read.
        found = msgspec.json.decode(encoder.serialize(values), type=_RAW)
        return f"[{','.join(bytes(value).decode() for value in found.values())}]"

    return fields
