"""Text of others on the terminal and in logs for people: it steers no terminal, and looks like no line of ours."""

from __future__ import annotations

import re

#: Control characters, those that turn the direction of writing, line ends of Unicode's, halves of characters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: object) -> str:
    """A text without characters that steer a terminal: what a job logs may hold any."""
    return _CONTROL.sub(lambda found: _escaped(ord(found.group())), str(text))


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def escaped(text: object, limit: int = 2_000) -> str:
    """A text on one line, whatever it holds, cut."""
    shown = plain(text).replace("\n", "\\n").replace("\t", "\\t")
    return shown if len(shown) <= limit else shown[: limit - 3] + "..."


def indented(text: object) -> str:
    """A text whose lines after the first one are indented, so that none begins as a line of ours does."""
    return plain(text).rstrip("\n").replace("\n", "\n  ")


def one_line(text: object, width: int = 200) -> str:
    """The first line of a text, cut."""
    first = next((line for line in plain(text).splitlines() if line.strip()), "").strip()
    return first if len(first) <= width else first[: width - 3] + "..."
