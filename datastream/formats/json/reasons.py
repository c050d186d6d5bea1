"""Why bytes are not JSON, in words that name what to look for."""

from __future__ import annotations

import json

#: The digits that Python makes an int of; more take it too long.
MOST_DIGITS = 4300
_HALF = "a text holds half of a surrogate pair, such as \\ud800, which is not a character"


def reason_of(error: Exception, data: bytes) -> str:
    """The reason of what msgspec raised for some bytes."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    text = str(error).removeprefix("JSON is malformed: ")
    if isinstance(error, UnicodeDecodeError) or text == "Invalid UTF-8 encoded string":  # the latter from 0.23 on
        return _reason_of_decoding(data) or text
    for start in ("invalid utf-16 surrogate pair", "unexpected end of escaped utf-16 surrogate pair"):
        if text.startswith(start):
            return _HALF + text.removeprefix(start)
    if text.startswith("Integer value out of range"):
        return f"a whole number has more than {MOST_DIGITS:,} digits{text.removeprefix('Integer value out of range')}"
    if text == "Input data was truncated":  # so says msgspec also of a first half at the end of a text
        return _HALF if _is_whole(data) else "it ends too early"
    return text


def _reason_of_decoding(data: bytes) -> str | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error.reason} at byte {error.start}"
    return None


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
