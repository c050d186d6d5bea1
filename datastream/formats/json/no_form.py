"""Which value of a record it is that JSON has no form for."""

from __future__ import annotations

from typing import Any

from datastream.errors import FormatError, cut
from datastream.time import Instant
from datastream.types import MapTypeInfo, PickledBytesTypeInfo, RowTypeInfo, TypeInformation
from datastream.types.pickles import dumps

from .iso_text import instant_text
from .map_keys import text_of_key


def explain(value: Any, kind: TypeInformation, path: str = "") -> None:
    """Look for the first value that has no form in JSON.

    Args:
        value: A value that fits the type.
        kind: Its type.
        path: Where it is in its record.

    Raises:
        FormatError: there is one; the message says where.
    """
    match value:
        case _ if isinstance(kind, PickledBytesTypeInfo):
            _pickled(value, path)
        case str():
            _text(value, path)
        case int():
            _number(value, path)
        case Instant():
            _instant(value, path)
        case list():
            element = getattr(kind, "elem_type", None) or kind.element_type  # type: ignore[attr-defined]
            for i, one in enumerate(value):
                explain(one, element, f"{path}[{i}]")
        case tuple():
            for i, (one, field) in enumerate(zip(value, kind.field_types, strict=True)):  # type: ignore[attr-defined]
                explain(one, field, f"{path}[{i}]")
        case dict() if isinstance(kind, MapTypeInfo):
            _map(value, kind, path)
        case _ if value is not None and isinstance(kind, RowTypeInfo):
            for name, one, field in zip(kind.get_field_names(), value, kind.field_types, strict=True):
                _text(name, path)
                explain(one, field, f"{path}.{name}" if path else name)


def _text(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FormatError(
            f"{_at(path)}the text {cut(text)} holds half of a surrogate pair, which has no form in UTF-8; "
            "replace it, such as by text.encode('utf-8', 'replace').decode()"
        ) from None


def _number(number: int, path: str) -> None:
    try:
        str(number)
    except ValueError as error:
        raise FormatError(f"{_at(path)}the number is too long to be written: {error}") from None


def _instant(instant: Instant, path: str) -> None:
    try:
        instant_text(instant)
    except FormatError as error:
        raise FormatError(f"{_at(path)}{error}") from None


def _pickled(value: Any, path: str) -> None:
    try:
        dumps(value)
    except Exception as error:  # a record's own __reduce__ may raise anything
        raise FormatError(f"{_at(path)}{cut(value)} cannot be pickled: {type(error).__name__}: {error}") from error


def _map(value: dict[Any, Any], kind: MapTypeInfo, path: str) -> None:
    text_of = text_of_key(kind.key_type)
    texts: set[str] = set()
    for key, one in value.items():
        place = f"{path}[{cut(key)}]"
        if not isinstance(key, float):  # a key is text, which may be NaN
            explain(key, kind.key_type, f"{place} (its key)")
        if text_of is not None:
            text = text_of(key)
            _text(text, place)
            if text in texts:
                raise FormatError(f"{_at(place)}two keys have the text {cut(text)}, and names in JSON come once")
            texts.add(text)
        explain(one, kind.value_type, place)


def _at(path: str) -> str:
    return f"field {path}: " if path else ""
