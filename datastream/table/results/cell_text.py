"""Values as the texts that printed results show: those of CAST to STRING."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from datastream.table.types.logical_types import ArrayType, DataType, MapType, MultisetType
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of

Text = Callable[[Any], str]


def cell_text(kind: DataType, zone: dt.tzinfo, null: str = "<NULL>") -> Text:
    """A function: a value inside -> its text.

    Args:
        kind: Its type.
        zone: In which TIMESTAMP_LTZ is shown.
        null: The text of NULL.
    """
    text = _text(kind, zone)
    return lambda value: null if value is None else text(value)


def _text(kind: DataType, zone: dt.tzinfo) -> Text:
    match kind:
        case ArrayType(element_type=element):
            each = cell_text(element, zone, "NULL")
            return lambda value: f"[{', '.join(map(each, value))}]"
        case MapType(key_type=key, value_type=value):
            of_key, of_value = cell_text(key, zone, "NULL"), cell_text(value, zone, "NULL")
            return lambda value: f"{{{', '.join(f'{of_key(k)}={of_value(v)}' for k, v in value.items())}}}"
        case MultisetType(element_type=element):
            each = cell_text(element, zone, "NULL")
            return lambda value: f"{{{', '.join(f'{each(k)}={n}' for k, n in value.items())}}}"
        case RowType(fields=fields):
            texts = [cell_text(field.data_type, zone, "NULL") for field in fields]
            return lambda value: f"({', '.join(text(v) for text, v in zip(texts, value, strict=True))})"
    return traits_of(kind).shown(zone)
