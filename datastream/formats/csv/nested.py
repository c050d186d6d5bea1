"""Arrays and nested rows: the texts of their elements with a delimiter between them, one level deep.

Nothing quotes or escapes an element, neither here nor in Flink. So what could not be told apart when it is read
again is refused when it is written: an element that holds the delimiter or is the null literal, and a list of
one empty text, which is the empty list's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from datastream.errors import FormatError, cut
from datastream.types import (
    BasicArrayTypeInfo,
    ListTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from datastream.types.row import row_factory

from .faults import BadText, NoText
from .text import Text
from .texts import holds_none, text_of


def null_of(text: Text, null: str | None) -> str | None:
    """The null literal of a place: without one, an empty text is None where it is no value."""
    if null is not None:
        return null
    return None if is_value(text, "") else ""


def is_value(text: Text, literal: str) -> bool:
    """Whether a text is one of a value."""
    try:
        text.read(literal)
    except (ValueError, LookupError, ArithmeticError):
        return False
    return True


def nested_text(kind: TypeInformation, delimiter: str, null: str | None, reading: bool) -> Text | None:
    """The text of an array or row; None for all other types.

    Raises:
        FormatError: an element is not a single value, or a row has no fields.
    """
    match kind:
        case RowTypeInfo() | TupleTypeInfo() if not kind.field_types:
            raise FormatError(f"csv: {kind!r} inside a row has no fields, and no text but that of None: leave it out")
        case ListTypeInfo(element) | BasicArrayTypeInfo(element) | ObjectArrayTypeInfo(element):
            return _array(_Element(element, null, reading), delimiter)
        case PrimitiveArrayTypeInfo(element):
            return _array(_Element(element, null, reading, nullable=False), delimiter)
        case RowTypeInfo():
            fields = [_Element(field, null, reading) for field in kind.field_types]
            paths = [f".{name}" for name in kind.get_field_names()]
            return _record(kind, fields, paths, row_factory(kind.field_names), delimiter)
        case TupleTypeInfo():
            fields = [_Element(field, null, reading, nullable=False) for field in kind.field_types]
            return _record(kind, fields, [f"[{i}]" for i in range(len(fields))], tuple, delimiter)
    return None


class _Element:
    """A single value inside a field."""

    def __init__(self, kind: TypeInformation, null: str | None, reading: bool, nullable: bool = True) -> None:
        text = text_of(kind, reading)
        if text is None:
            raise FormatError(f"csv: arrays and rows inside a row hold single values, got {kind!r}: use a flat type")
        self.kind, self._text = kind, text
        self._null = null_of(text, null)
        self._nullable = nullable or holds_none(kind)

    def read(self, text: str, path: str) -> Any:
        if text == self._null:
            if not self._nullable:
                raise BadText(path, self.kind, text)
            return None
        try:
            return self._text.read(text)
        except (ValueError, LookupError, ArithmeticError):
            raise BadText(path, self.kind, text) from None

    def write(self, value: Any, path: str) -> str:
        if value is None:
            if self._null is None:
                raise NoText("None has no text here: set a null literal", path)
            return self._null
        try:
            text = self._text.write(value)
        except NoText as error:
            raise NoText(error.reason, path) from None
        if text == self._null:
            raise NoText(f"{cut(text)} is the null literal, and elements cannot be quoted: use another literal", path)
        return text


def _array(element: _Element, delimiter: str) -> Text:
    split = _splitter(delimiter)

    def read(text: str) -> list[Any]:
        if not text:
            return []
        return [element.read(part, f"[{i}]") for i, part in enumerate(split(text))]

    def write(values: Any) -> str:
        texts = [element.write(value, f"[{i}]") for i, value in enumerate(values)]
        text = _joined(texts, delimiter)
        if texts and not text:
            raise NoText("a list of one empty text is written as the empty list is; use another null literal")
        return text

    return Text(read, write, as_text=True)


def _record(
    kind: TypeInformation,
    fields: list[_Element],
    paths: list[str],
    make: Callable[[list[Any]], Any],
    delimiter: str,
) -> Text:
    split = _splitter(delimiter)
    if len(fields) > 1 and not delimiter:
        raise FormatError(f"csv: {kind!r} inside a row needs an array element delimiter")

    def read(text: str) -> Any:
        parts = split(text)
        if len(parts) != len(fields):
            raise BadText("", kind, text)
        return make([field.read(part, path) for field, part, path in zip(fields, parts, paths, strict=True)])

    def write(values: Any) -> str:
        texts = [field.write(value, path) for field, value, path in zip(fields, values, paths, strict=True)]
        return _joined(texts, delimiter)

    return Text(read, write, as_text=True)


def _splitter(delimiter: str) -> Callable[[str], list[str]]:
    return (lambda text: text.split(delimiter)) if delimiter else (lambda text: [text])


def _joined(texts: Sequence[str], delimiter: str) -> str:
    text = delimiter.join(texts)
    # Also finds a delimiter of two characters that only the joint of two elements makes.
    if len(texts) > 1 and not delimiter:
        raise NoText("without an array element delimiter an array holds one element at most")
    if delimiter and texts and text.split(delimiter) != list(texts):
        bad = next((t for t in texts if delimiter in t), text)
        raise NoText(f"{cut(bad)} holds the array element delimiter {delimiter!r}: set another delimiter")
    return text
