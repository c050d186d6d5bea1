"""The base class of all user functions."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datastream.functions.runtime_context import RuntimeContext


class Function(ABC):  # noqa: B024  (subclasses have the abstract methods)
    """A user function with a life: `open` before the first record, `close` after the last."""

    def open(self, runtime_context: RuntimeContext) -> None:
        """Prepare for records: read parameters, create state handles, open connections."""
        return None

    def close(self) -> None:
        """Release what `open` took."""
        return None
