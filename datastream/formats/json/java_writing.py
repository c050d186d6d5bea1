"""JSON from msgspec with the letters that Jackson writes, which Flink uses."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

import msgspec

from datastream.codegen import SourceText
from datastream.types.java_text import double_text, shortest

#: An escaped control character; any other escape, so that its second half is not taken for a first one; a character of
#: four bytes.
_OTHERWISE = re.compile(rb"\\u00[01][0-9a-f]|\\.|[\xf0-\xf4][\x80-\xbf]{3}")


def double_form(code: SourceText, value: str) -> str:
    """The expression for what msgspec shall write of a DOUBLE; most are written alike, and need no call."""
    return f"({value} if 0.001 <= {value} < 1e7 else {code.bind(_java_number)}({value}))"


def float_form(code: SourceText, value: str) -> str:
    """The expression for what msgspec shall write of a FLOAT."""
    return f"{code.bind(_java_float)}({value})"


def _java_number(value: float) -> Any:
    """What msgspec shall write of a number: ``1.0E10``, and NaN and infinities as text."""
    if 0.001 <= abs(value) < 1e7 or value == 0:
        return value
    text = double_text(value)
    return msgspec.Raw(text.encode()) if isfinite(value) else text


def _java_float(value: float) -> Any:
    """The same of a number of 32 bits."""
    return _java_number(shortest(value))


def as_in_java(messages: list[bytes]) -> list[bytes]:
    """Messages with characters like 😀 as two escapes, and with capital letters in escapes."""
    together = b"".join(messages)
    if together.isascii() and (0x5C not in together or rb"\u00" not in together):
        return messages
    return [_OTHERWISE.sub(_written, message) for message in messages]


def _written(found: re.Match[bytes]) -> bytes:
    text = found[0]
    if text[0] != 0x5C:
        units = text.decode().encode("utf-16-be")
        return b"\\u%02X%02X\\u%02X%02X" % tuple(units)
    return text[:4] + text[4:].upper()
