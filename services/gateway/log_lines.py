"""What a driver's log tells: its exit code, and why its job failed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: The event by which a driver tells what its job did, when it ends; it is for the gateway alone.
FIGURES = "figures"
#: The end of a log, in bytes, in which its last events are looked for.
_TAIL = 4 << 20


def entry(line: str) -> dict[str, Any]:
    """A line as a JSON object; other text becomes the event of one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return found
    return {"event": line, "level": "info", "logger": "stdout"}


def tail(file: Path) -> list[str]:
    """The last lines of a log."""
    try:
        with file.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - _TAIL))
            return log.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []


def last_event(lines: Iterable[str], event: str) -> dict[str, Any] | None:
    """The command's own last event of a name."""
    found = None
    for line in lines:
        if f'"{event}"' in line:
            read = entry(line)
            if read.get("event") == event and read.get("logger") == "datastream":
                found = read
    return found


def last_warning(lines: Iterable[str]) -> str | None:
    """The command's own last warning."""
    found = None
    for line in lines:
        if '"warning"' in line:
            read = entry(line)
            if read.get("level") == "warning" and read.get("logger") == "datastream":
                found = str(read.get("event"))
    return found


def exit_event(file: Path) -> int | None:
    """The exit code that a runner has logged as its last word; None: it was killed before."""
    found = last_event(tail(file), "exit")
    return found["code"] if found is not None and isinstance(found.get("code"), int) else None
