"""JSON values into values of columns, one by one: what the fast way refuses, and the errors.

As in Flink, a number may be written as text, and a column of text takes any value. A fraction is no whole number, and
no text but ``true`` and ``false`` is a BOOLEAN.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from typing import Any

import msgspec

from datastream.errors import FormatError, cut
from datastream.formats.json.exact_reading import parse
from datastream.table.functions.json_texts import json_text
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BinaryType,
    BooleanType,
    CharType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    MultisetType,
    NullType,
    VarBinaryType,
    VarCharType,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_traits import traits_of
from datastream.types.java_text import narrowed

from .format import WrongValue
from .json_forgiven import forgiven
from .numbers import BITS, BLANKS, decimal_bounds, fitted, range_of, read_decimal, read_float, read_whole
from .partial_rows import read_fields


class _Number(Decimal):
    """A number with a point or an exponent.

    Attributes:
        text: As it is written.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> _Number:
        made = super().__new__(cls, text)
        made.text = text
        return made


_decode = msgspec.json.Decoder(float_hook=_Number).decode


@dataclass(frozen=True)
class ExactReader:
    """Reads the values of columns.

    Attributes:
        standard: Of timestamps: ``sql`` or ``iso-8601``.
        strict: Whether a missing field is an error; otherwise it is NULL.
        ignore: Whether a value that cannot be read is NULL.
    """

    standard: str
    strict: bool = False
    ignore: bool = False

    def row(self, data: bytes, fields: Sequence[tuple[str, DataType]]) -> tuple[Any, ...] | None:
        """The tuple of a message; None: it is ``null``.

        Raises:
            WrongValue: a value does not fit its column.
            FormatError: it is not JSON.
        """
        try:
            found = parse(data, _decode)
        except FormatError:
            other = forgiven(data)
            if other in (data, b"null"):  # of null and a rest something would be lost in silence
                raise
            found = parse(other, _decode)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise WrongValue("a JSON object", "", found)
        return self._fields(found, fields, "")

    def _fields(
        self, found: dict[str, Any], fields: Sequence[tuple[str, DataType | None]], place: str
    ) -> tuple[Any, ...]:
        values: list[Any] = []
        for name, kind in fields:
            if kind is None:
                values.append(None)
                continue
            if self.strict and name not in found:
                raise WrongValue("a value; the field is missing, and fail-on-missing-field is set", place + name, None)
            values.append(self._or_null(found.get(name), kind, place + name))
        return tuple(values)

    def _or_null(self, value: Any, kind: DataType, place: str) -> Any:
        if value is None:
            return None
        try:
            return self._value(value, kind, place)
        except WrongValue:
            if self.ignore:
                return None
            raise

    def _value(self, value: Any, kind: DataType, place: str) -> Any:
        match kind:
            case CharType() | VarCharType():
                return _text(value)
            case ArrayType():
                items = _checked(value, list, "a JSON array", place)
                return tuple(self._or_null(v, kind.element_type, f"{place}[{i}]") for i, v in enumerate(items))
            case MapType():
                entries = _checked(value, dict, "a JSON object", place).items()
                return {k: self._or_null(v, kind.value_type, f"{place}[{k!r}]") for k, v in entries}
            case MultisetType():
                entries = _checked(value, dict, "a JSON object", place).items()
                return {k: _whole(v, -(1 << 31), (1 << 31) - 1, f"{place}[{k!r}]") for k, v in entries}
            case RowType():
                found = _checked(value, dict, "a JSON object", place)
                return self._fields(found, read_fields(kind), f"{place}.")
            case NullType():
                raise WrongValue("null", place, value)
            case _ if type(kind) in BITS:
                return _whole(value, *range_of(kind), place)
            case YearMonthIntervalType() | DayTimeIntervalType():
                found = _whole(value, -(1 << 63), (1 << 63) - 1, place)
                return found * 1000 if isinstance(kind, DayTimeIntervalType) else found
        return self._leaf(value, kind, place)

    def _leaf(self, value: Any, kind: DataType, place: str) -> Any:
        match kind:
            case BooleanType():
                return _boolean(value, place)
            case FloatType():
                return narrowed(_fraction(value, place))
            case DoubleType():
                return _fraction(value, place)
            case DecimalType():
                return _decimal(value, kind, place)
            case BinaryType() | VarBinaryType():
                return _of_text(_bytes, value, "bytes in base64", place)
        traits = traits_of(kind)
        read = traits.json_reader(self.standard)
        if read is not None and traits.json_words is not None:
            return _of_text(read, value, traits.json_words, place)
        raise WrongValue(f"a value of {kind}, which has no form in JSON", place, value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, _Number) else json_text(value)


def _boolean(value: Any, place: str) -> bool:
    if isinstance(value, bool):
        return value
    text = value.strip().lower() if isinstance(value, str) else ""
    if text not in ("true", "false"):
        raise WrongValue("true or false", place, value)
    return text == "true"


def _whole(value: Any, least: int, most: int, place: str) -> int:
    try:
        if isinstance(value, str):
            return read_whole(value, least, most)
        # As in Flink, numbers with a point or an exponent are values of INT and BIGINT only.
        kinds = int | Decimal if most > 32767 else int
        if isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most and int(value) == value:
            return int(value)
    except ValueError:
        pass
    raise WrongValue(f"a whole number from {least} to {most}", place, value)


def _fraction(value: Any, place: str) -> float:
    try:
        if isinstance(value, str):
            return read_float(value)
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return float(value)
    except ValueError:
        pass
    except OverflowError:
        return inf if value > 0 else -inf
    raise WrongValue("a number", place, value)


def _decimal(value: Any, kind: DecimalType, place: str) -> Decimal | None:
    try:
        if isinstance(value, str):
            return fitted(read_decimal(value.strip(BLANKS)), *decimal_bounds(kind.precision, kind.scale))
        if isinstance(value, int | Decimal) and not isinstance(value, bool):
            return fitted(Decimal(value), *decimal_bounds(kind.precision, kind.scale))
    except (ValueError, ArithmeticError):
        pass
    raise WrongValue(f"a DECIMAL({kind.precision}, {kind.scale})", place, value)


def _of_text(read: Callable[[str], Any], value: Any, what: str, place: str) -> Any:
    if not isinstance(value, str):
        raise WrongValue(f"{what} as text", place, value)
    try:
        return read(value)
    except ValueError as error:
        raise WrongValue(f"{what} ({error})", place, value) from None


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise ValueError("it is none") from None


def _checked(value: Any, cls: type, what: str, place: str) -> Any:
    if not isinstance(value, cls):
        raise WrongValue(what, place, value)
    return value


def described(error: WrongValue) -> str:
    """What is said about a value that does not fit."""
    where = f"column {error.place}: " if error.place else ""
    found = "nothing" if error.value is None else f"{type(error.value).__name__} {cut(error.value)}"
    return f"{where}expected {error.reason}, found {found}"
