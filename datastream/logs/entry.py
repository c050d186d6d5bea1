"""One message of the log: its fields, in JSON and as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from datastream.plain_text import escaped, indented

#: A message with its fields. These come first, as far as they are known: timestamp, level, logger, event, job, job_id,
#: operator, uid, subtask, epoch, line; then those that the message brought along, then exception and stack.
Entry = dict[str, Any]

#: Characters of a text that a line of the log holds, and bytes of a line: a datagram takes some 200 kB.
LONGEST = 16_000
_LONGEST_LINE = 120_000


def timestamp(seconds: float) -> str:
    """A time in seconds since 1970 as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def shortened(text: str) -> str:
    """A text without its middle if it is very long: a traceback's last lines say most."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


def add_own(entry: Entry, own: Mapping[str, Any]) -> None:
    """Add the fields that a message brought along; one whose name is taken gets an underscore after it."""
    for key, value in own.items():
        name = str(key)
        if isinstance(value, (str, int)) and entry.get(name) == value:
            continue
        while name in entry or name in ("exception", "stack"):
            name += "_"
        entry[name] = value


def to_json(entry: Entry) -> bytes:
    """An entry as one JSON object, without a line's end. What JSON has no form for becomes its ``repr``."""
    try:
        line = json.dumps(entry, default=plain, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):  # odd keys, not a number, circles, half of a surrogate pair
        line = json.dumps({key: plain(value) for key, value in entry.items()}).encode()
    if len(line) <= _LONGEST_LINE:
        return line
    return json.dumps({key: plain(value, _LONGEST_LINE // 100) for key, value in entry.items()}).encode()


def to_text(entry: Entry, colors: bool) -> str:
    """An entry for people, of one line or more. The terminal shows one job, so its name is left out."""
    import structlog

    fields = {key: _for_people(key, value) for key, value in entry.items() if key not in ("job", "job_id", "line")}
    if fields.get("uid") == fields.get("operator"):
        fields.pop("uid", None)
    renderer = structlog.dev.ConsoleRenderer(
        colors=colors, sort_keys=False, exception_formatter=structlog.dev.plain_traceback
    )
    return str(renderer(None, str(entry.get("level", "info")), fields))


def _for_people(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return f"  {indented(value)}" if key in ("exception", "stack") else escaped(value, LONGEST)


def plain(value: Any, longest: int = LONGEST) -> Any:
    if isinstance(value, (str, int, type(None))):
        text = value if isinstance(value, str) else None
        return value if text is None or len(text) <= longest else text[:longest] + "..."
    try:
        return repr(value)[:longest]
    except Exception as error:  # a user's object
        return f"<{type(value).__name__} whose repr failed: {type(error).__name__}>"
