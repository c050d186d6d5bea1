"""What generated codecs raise, and the `FormatError` that users see of it."""

from __future__ import annotations

import struct
from typing import Any, NoReturn

from datastream.errors import FormatError, TypeMismatch, cut
from datastream.formats.avro.code import place


class Malformed(ValueError):
    """Bytes that are no value of the schema, or a value that has no form in it."""


def explained(error: Exception, doing: str, subject: Any) -> FormatError:
    """The error for users.

    Args:
        error: What a generated function raised.
        doing: Such as ``read Avro``.
        subject: The bytes or the value.
    """
    path = place(error.__traceback__)
    reason = _reason(error)
    if isinstance(error, TypeMismatch):
        inner = error.path
        path += inner if not path or inner.startswith("[") or not inner else f".{inner}"
        reason = str(TypeMismatch("", error.expected, error.value, error.hint))
    where = f"field {path}: " if path else ""
    return FormatError(f"cannot {doing}: {where}{reason}; it is {cut(subject)}")


def _reason(error: Exception) -> str:
    match error:
        case Malformed():
            return str(error)
        case IndexError() | struct.error():
            return "the bytes end too early"
        case UnicodeDecodeError():
            return f"a string is not UTF-8: {error.reason}"
        case UnicodeEncodeError():
            return f"the text {cut(error.object)} holds a lone surrogate, which UTF-8 has no form for"
        case RecursionError():
            return "it is nested too deeply"
        case KeyError():
            return "it is missing"
        case ValueError() | OverflowError():
            return str(error)
    return f"{type(error).__name__}: {error}"


def wrong_end(data: bytes, at: int) -> NoReturn:
    """Raise what is to say of bytes whose value does not end where they do."""
    if at > len(data):
        raise Malformed("the bytes end too early")
    raise Malformed(f"{len(data) - at} bytes are left behind the value: they are of another schema")


def malformed(text: str) -> NoReturn:
    """Raise `Malformed`."""
    raise Malformed(text)
