"""Keeps the records that are close to the last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.windows.evictors.built_in import BuiltInEvictor
from datastream.windows.evictors.evictor import TimestampedValue


@dataclass(frozen=True)
class DeltaEvictor(BuiltInEvictor):
    """Keeps the records whose distance to the last one is below `threshold`.

    Args:
        threshold: The distance at and above which a record goes.
        delta_function: Returns the distance of two records: an older one and the last one.
        do_evict_after: Whether the others go after the window function has seen them; default before.

    Raises:
        ValidationError: The function cannot be called.
    """

    threshold: float
    delta_function: Callable[[Any, Any], float]
    do_evict_after: bool = False

    def __post_init__(self) -> None:
        if not callable(self.delta_function):
            raise ValidationError(f"DeltaEvictor needs a function of two records: got {cut(self.delta_function)}.")

    @staticmethod
    def of(threshold: float, delta_function: Callable[[Any, Any], float], do_evict_after: bool = False) -> DeltaEvictor:
        """Return an evictor of this distance.

        Raises:
            ValidationError: The function cannot be called.
        """
        return DeltaEvictor(threshold, delta_function, do_evict_after)

    def kept(self, elements: list[TimestampedValue]) -> list[TimestampedValue]:
        """Return the records close to the last."""
        last = elements[-1].value
        return [e for e in elements if self.delta_function(e.value, last) < self.threshold]
