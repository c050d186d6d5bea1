"""Text of others on the terminal."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: object) -> str:
    """A text without characters that steer a terminal: what a job logs may hold any."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", str(text))


def one_line(text: object, width: int = 200) -> str:
    """The first line of a text, cut."""
    first = next((line for line in plain(text).splitlines() if line.strip()), "").strip()
    return first if len(first) <= width else first[: width - 3] + "..."
