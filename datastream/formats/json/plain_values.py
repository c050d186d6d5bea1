"""JSON without a declared type: dicts, lists, texts and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any
from uuid import UUID

import msgspec
import orjson

from datastream.errors import FormatError, cut
from datastream.formats.positions import one_by_one
from datastream.formats.schema import DeserializationSchema, Position, SerializationSchema
from datastream.time import Instant
from datastream.types import Row
from datastream.types.row import values_of

from .iso_text import instant_text
from .reasons import reason_of

_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
#: As orjson's loads, and a fifth faster; unlike it, whole numbers keep all their digits.
_decode = msgspec.json.Decoder().decode


def decode(data: bytes) -> Any:
    """The value in JSON.

    Raises:
        FormatError: the bytes are not JSON in UTF-8, or hold a number that is beyond the range of a float.
    """
    try:
        return _decode(data)
    except Exception as error:  # what msgspec has for bytes: its own errors, Unicode's and RecursionError
        raise FormatError(f"not JSON: {reason_of(error, data)}; the message is {cut(data)}") from None


def decode_all(messages: Sequence[bytes]) -> list[Any]:
    """The values in messages, faster than one by one. Raises anything if one of them is not JSON."""
    return list(map(_decode, messages))


def encode(value: Any) -> bytes:
    """The JSON of a value, without spaces.

    Raises:
        FormatError: something in it has no form in JSON.
    """
    try:
        data = orjson.dumps(value, _other_fast, _OPTIONS)
        if b"null" in data:  # orjson writes NaN and infinities so
            _check_finite(value)
        return data
    except FormatError as error:
        raise FormatError(f"Cannot write {cut(value)} as JSON: {error}") from None
    except (TypeError, RecursionError):  # whole numbers of more than 64 bits, names that are no text, deep values
        return _encode_slowly(value)


class JsonDeserializationSchema(DeserializationSchema):
    """Reads any JSON value: dict, list, str, int, float, bool; null is no record.

    Whole numbers keep all their digits; those with a point or an exponent become floats. An addition to PyFlink's
    names.
    """

    def deserialize(self, data: bytes) -> Any:
        """The value in a message.

        Raises:
            FormatError: the message is not JSON in UTF-8, or holds a number that is beyond the range of a float.
        """
        return decode(data)

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        """The values of messages.

        Raises:
            FormatError: as of `deserialize`; the first such message.
        """
        present = messages if None not in messages else [data for data in messages if data is not None]
        try:
            found = decode_all(present)  # type: ignore[arg-type]
        except Exception:  # found again, with a better message
            return one_by_one(decode, messages, position)
        return found if None not in found else [value for value in found if value is not None]


class JsonSerializationSchema(SerializationSchema):
    """Writes any value that JSON has a form for, in UTF-8 and without spaces.

    Named rows, dicts and dataclasses become objects, other rows, tuples and lists arrays. Dates, times and instants
    are written in ISO 8601, Decimals as text (most readers make floats of numbers), enums as their values. NaN,
    infinities, bytes and sets have no form. An addition to PyFlink's names.
    """

    def serialize(self, value: Any) -> bytes:
        """The JSON of a value.

        Raises:
            FormatError: something in it has no form in JSON.
        """
        return encode(value)


def _encode_slowly(value: Any) -> bytes:
    try:
        _check_names(value)
        text = json.dumps(value, default=_other, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except RecursionError:
        reason = "it is nested too deeply, or holds itself"
    except UnicodeEncodeError:
        reason = "a text holds half of a surrogate pair, which has no form in UTF-8"
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise FormatError(f"Cannot write {cut(value)} as JSON: {reason}")


def _other_fast(value: Any) -> Any:
    # orjson drops the seconds of a zone's offset; without a zone it is exact, and four times faster than isoformat.
    if type(value) is datetime and value.tzinfo is None:
        return orjson.Fragment(orjson.dumps(value))
    return _other(value)


def _other(value: Any) -> Any:
    """What stands for a value of a class that JSON does not know."""
    if isinstance(value, Row):
        return values_of(value) if value._fields is None else dict(zip(value._fields, values_of(value), strict=True))
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    if isinstance(value, Instant):
        return instant_text(value)
    if isinstance(value, tuple):  # a named tuple
        return list(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise FormatError(f"{cut(value)} has no form in JSON; map it to text or numbers first")


def _check_names(value: Any) -> None:
    if isinstance(value, dict):
        # Keys such as 1 and "1", which are written alike.
        if any(type(key) is not str for key in value):
            names = json.loads(json.dumps(dict.fromkeys(value), allow_nan=False))
            if len(names) != len(value):
                raise FormatError(f"two keys of {cut(value)} have the same text")
        for one in value.values():
            _check_names(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _check_names(one)
    elif value is not None and not isinstance(value, (str, int, float)):
        _check_names(_other(value))


def _check_finite(value: Any) -> None:
    if isinstance(value, float):
        if not isfinite(value):
            raise FormatError(f"{value} has no form in JSON; write None, or map it to text")
    elif isinstance(value, dict):
        for one in value.values():
            _check_finite(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _check_finite(one)
    elif value is not None and not isinstance(value, (str, int)):
        _check_finite(_other(value))
