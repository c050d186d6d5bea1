"""JSON that Java's reader takes though it is none, as JSON."""

from __future__ import annotations

import json
import re

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
_LONE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_MARK = "\ufeff"
_read = json.JSONDecoder(strict=False).raw_decode


def forgiven(data: bytes) -> bytes:
    """A message without what Java's reader passes over; one that it does not take either stays as it is.

    These are a byte order mark, control characters in texts, halves of pairs of surrogates, which become ``?``, and
    what follows the value.
    """
    try:
        text = data.decode().removeprefix(_MARK)
    except UnicodeDecodeError:
        return data
    text = _TEXT.sub(_forgiven_text, text).lstrip()
    try:
        _, end = _read(text)
    except (ValueError, RecursionError):
        return data
    return text[:end].encode()


def _forgiven_text(found: re.Match[str]) -> str:
    text = _LONE.sub("?", found[0]) if "\\u" in found[0] else found[0]
    return _CONTROL.sub(lambda control: f"\\u{ord(control[0]):04x}", text)
