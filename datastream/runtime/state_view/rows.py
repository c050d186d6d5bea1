"""What one key keeps in one state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StateName:
    """One state of an operator.

    Attributes:
        operator: The operator's uid.
        kind: The operator's kind.
        state: The state's name; names that are no user's are in parentheses.
        form: ``value``, ``list``, ``map``, ``timers`` or ``broadcast``. A list kept in a value state is a ``list`` too.
    """

    operator: str
    kind: str
    state: str
    form: str


@dataclass(frozen=True)
class StateRow(StateName):
    """What one key keeps in one state.

    Attributes:
        key: The key; of broadcast state the map's key.
        value: The value, or the first elements or entries. Times of timers are in ms.
        entries: How many elements or entries there are in all; None for a value.
        touched: With a time to live, when the value or any entry was last touched, in ms; else None.
        group: The key group; -1 for broadcast state.
    """

    key: Any
    value: Any
    entries: int | None
    touched: int | None
    group: int


def plain(value: Any) -> Any:
    """A value as JSON has it; what has no form there as its text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value if type(value) in (type(None), bool, int, str) else text(value)
    if type(value) is float:
        return value if math.isfinite(value) else repr(value)
    if type(value) in (list, tuple):
        return [plain(part) for part in value]
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: plain(part) for key, part in value.items()}
    return text(value)


def text(value: Any) -> str:
    """The repr of a value; of an object that has none of its own, its class and attributes."""
    kind: Any = type(value)
    if kind.__repr__ is not object.__repr__:
        return repr(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    return f"<{name} {vars(value)!r}>" if hasattr(value, "__dict__") else f"<{name}>"
