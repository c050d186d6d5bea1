"""Names and labels by Prometheus' rules."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STRANGE = re.compile(r"[^a-z0-9]+")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def snake(text: str) -> str:
    """A part of a metric's or label's name: ``numEvents.late`` becomes ``num_events_late``."""
    found = _STRANGE.sub("_", _CAPITAL.sub("_", text).lower()).strip("_")
    return found if found and not found[0].isdigit() else f"_{found}"


def labels(pairs: Iterable[tuple[str, str]]) -> str:
    """Labels as they stand behind a metric's name, braces included."""
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in pairs) + "}"
