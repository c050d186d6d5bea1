"""What the evictors of the project have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from datastream.windows.evictors.evictor import Evictor, TimestampedValue


class BuiltInEvictor(Evictor[Any, Any]):
    """Removes the same records either before or after the window function."""

    do_evict_after: bool

    def evict_before(
        self, elements: list[TimestampedValue], size: int, window: Any, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove records, unless that is to happen after the window function."""
        if not self.do_evict_after and elements:
            elements[:] = self.kept(elements)

    def evict_after(
        self, elements: list[TimestampedValue], size: int, window: Any, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Remove records, if that is to happen after the window function."""
        if self.do_evict_after and elements:
            elements[:] = self.kept(elements)

    @abstractmethod
    def kept(self, elements: list[TimestampedValue]) -> list[TimestampedValue]:
        """Return those of one or more records that stay."""
