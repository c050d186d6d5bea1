"""Names and labels by Prometheus' rules."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STRANGE = re.compile(r"[^a-z0-9]+")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def snake(text: str) -> str:
    """A part of a metric's or label's name: ``numEvents.late`` becomes ``num_events_late``."""
    found = _STRANGE.sub("_", _CAPITAL.sub("_", text).lower()).strip("_")
    return found if found and not found[0].isdigit() else f"_{found}"


def labels(pairs: Iterable[tuple[str, str]]) -> str:
    """Labels as they follows a metric's name, braces included. A name that comes again gets a number."""
    taken: dict[str, str] = {}
    for name, value in pairs:
        own, times = name, 1
        while own in taken:
            times += 1
            own = f"{name}_{times}"
        taken[own] = value
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in taken.items()) + "}"


def one_line(text: str) -> str:
    """A text as it follows ``# HELP``."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def printable(text: str) -> str:
    """A text that UTF-8 has a form for: halves of surrogate pairs have none."""
    return text.encode("utf-8", "replace").decode()


def number(value: Any) -> int | float | None:
    """A value as Prometheus writes numbers; None for what is none, such as a text."""
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return value
    if isinstance(value, (str, bytes, type(None))):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:  # of whatever class a user's function has returned
        return None
