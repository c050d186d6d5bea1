"""A job's log, line by line; one that is followed goes on after a broken connection where it was."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx

from .errors import GatewayAway

#: The last lines by which the place in the log is found again.
_KNOWN = 5
#: Lines that are looked through for that place.
_LOOKED_THROUGH = 2000
_WAIT_S = 1.0

#: Opens the log with this number of its last lines; yes: and what comes.
Open = Callable[[int, bool], AbstractContextManager[httpx.Response]]


def lines_once(open_log: Open, lines: int) -> Iterator[dict[str, Any]]:
    """The last lines of a log."""
    with open_log(lines, False) as response:
        for text in response.iter_lines():
            if text.strip():
                yield entry(text)


def lines_followed(open_log: Open, lines: int, ended: Callable[[], bool], away_s: float) -> Iterator[dict[str, Any]]:
    """The last lines of a log and what comes, until the job has ended.

    Args:
        open_log: Opens the log.
        lines: The number of last lines.
        ended: Whether the job has ended.
        away_s: How long the gateway may be away.

    Raises:
        GatewayAway: It was away for longer.
    """
    known: deque[str] = deque(maxlen=_KNOWN)
    heard = time.monotonic()
    first = True
    while True:
        try:
            skipped = 0 if first else _passed(open_log, known)
            over = not first and ended()  # asked before the log is read to its end, so that nothing is missed
            wanted = lines if first else _LOOKED_THROUGH
            with open_log(wanted, not over) as response:
                first = False
                for text in _after(response.iter_lines(), known, skipped):
                    heard = time.monotonic()
                    if text.strip():
                        known.append(text)
                        yield entry(text)
            if over or ended():
                return
        except GatewayAway:
            if first or time.monotonic() - heard > away_s:
                raise
        time.sleep(_WAIT_S)


def _passed(open_log: Open, known: deque[str]) -> int:
    """How often the last known line comes in the log's last lines, up to the place in question; 0: it is not there."""
    if not known:
        return 0
    with open_log(_LOOKED_THROUGH, False) as response:
        there = [text for text in response.iter_lines() if text.strip()]
    want = list(known)
    for end in range(len(there), len(want) - 1, -1):
        if there[end - len(want) : end] == want:
            return there[:end].count(want[-1])
    return 0


def _after(texts: Iterator[str], known: deque[str], skipped: int) -> Iterator[str]:
    """The lines after the place at which the last known line has come this number of times.

    A blank line is a keep-alive: all older lines have come. If the log has lost some of them meanwhile, the last place
    that looks like the one in question counts.
    """
    last = known[-1] if known else None
    behind: list[str] = []
    for text in texts:
        if skipped == 0:
            yield text
        elif text == last:
            skipped -= 1
            behind.clear()
        elif text.strip():
            behind.append(text)
        else:
            skipped = 0
            yield from behind


def entry(text: str) -> dict[str, Any]:
    """A line of the log as an object."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"event": str(value), "level": "info", "logger": "stdout"}
