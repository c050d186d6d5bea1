"""``TRY_CAST``: NULL where a cast fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import InvalidOperation
from typing import Any

from datastream.errors import DataStreamError

_FAILURES = (DataStreamError, ArithmeticError, InvalidOperation, TypeError, ValueError)


@dataclass
class SafeCast:
    """A function: value -> what the text makes of it, or None where that raises.

    Args:
        text: Of the cast, with ``{0}`` for the value.
        names: What it refers to.
    """

    text: str
    names: dict[str, Any]
    _run: Any = field(default=None, repr=False, compare=False)

    def __call__(self, value: Any) -> Any:
        run = self._run
        if run is None:
            run = self._run = eval(f"lambda value: {self.text.format('value')}", dict(self.names))
        try:
            return run(value)
        except _FAILURES:
            return None

    def __getstate__(self) -> dict[str, Any]:
        return {"text": self.text, "names": self.names, "_run": None}
