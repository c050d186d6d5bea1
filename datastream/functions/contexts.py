"""What process functions can ask about the record or timer at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from datastream.missing_names import AdvisedNames

if TYPE_CHECKING:
    from datastream.time import TimeDomain, TimerService


_IN_OPEN = "keep the context that open(self, runtime_context) gets"

#: What Java's contexts and collectors do, and the context of the state does.
CONTEXT_REMEDIES = {
    "output": "a side output is yielded: yield tag, value",
    "collect": "results are yielded: yield value",
    "get_runtime_context": _IN_OPEN,
    "get_state": f"{_IN_OPEN}, and call its get_state there",
}


class ProcessContext(AdvisedNames, ABC):
    """Valid only during the call it is given to: do not keep it."""

    _remedies: ClassVar[dict[str, str]] = CONTEXT_REMEDIES

    @abstractmethod
    def timer_service(self) -> TimerService:
        """Return the service that provides the time and, on a keyed stream, sets timers."""

    @abstractmethod
    def timestamp(self) -> int:
        """Return the timestamp of the record or the firing timer in ms, -9223372036854775808 without one."""


class KeyedContext(ProcessContext):
    """A `ProcessContext` that knows the key."""

    @abstractmethod
    def get_current_key(self) -> Any:
        """Return the key of the record or the firing timer."""


class TimerContext(KeyedContext):
    """A `KeyedContext` of a firing timer."""

    @abstractmethod
    def time_domain(self) -> TimeDomain:
        """Return whether the timer is one of event time or of processing time."""
