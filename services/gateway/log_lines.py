"""What a driver's log shows: its exit code, and why its job failed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from datastream.services.runner.control import LAST, mark_of

#: The event by which a driver reports what its job did, when it ends; it is for the gateway alone.
FIGURES = LAST
#: The end of a log, in bytes, in which its last events are looked for.
_TAIL = 4 << 20
#: Values in a JSON text of a driver.
VALUES = 300_000


def entry(line: str) -> dict[str, Any]:
    """A line as a JSON object; other text becomes the event of one."""
    found = None
    if not has_too_many_values(line):
        with suppress(ValueError, RecursionError):
            found = json.loads(clean(line), parse_constant=lambda _: None)
    if isinstance(found, dict):
        return found
    return {"event": line, "level": "info", "logger": "stdout"}


def has_too_many_values(text: str) -> bool:
    """Whether a JSON text may hold more values than are ever needed: each takes some 100 bytes when it is read.

    They are counted before they are made; commas in texts count, too.
    """
    return text.count(",") + text.count("[") + text.count("{") > VALUES


def tail(file: Path) -> list[str]:
    """The last lines of a log."""
    try:
        with file.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _TAIL))
            return log.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def last_word(lines: Iterable[str], control_token: str) -> dict[str, Any] | None:
    """How a driver ended, as it logged it itself; None: it was killed before.

    Args:
        lines: The end of its log.
        control_token: Its. What marks the event follows from it: a job may print the like of it.
    """
    mark = mark_of(control_token)
    found = None
    for line in lines:
        if mark in line:
            read = entry(line)
            if read.get("event") == FIGURES and read.get("mark") == mark and isinstance(read.get("code"), int):
                found = read
    return found


def last_complaint(lines: Iterable[str]) -> str | None:
    """The command's own last error or warning; a text for people, as anybody may have written it."""
    found = None
    for line in lines:
        if '"warning"' in line or '"error"' in line:
            read = entry(line)
            if read.get("level") in ("warning", "error") and read.get("logger") == "datastream":
                found = str(read.get("error") or read.get("event"))
    return found


def exit_code(lines: Iterable[str], control_token: str) -> int | None:
    """The exit code that a driver has logged as its last word; None: it was killed before."""
    found = last_word(lines, control_token)
    return None if found is None else int(found["code"])


def clean(text: str) -> str:
    """JSON without halves of characters, which no database and no browser takes."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace").decode()
    except (ValueError, RecursionError):
        return text
