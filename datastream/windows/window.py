"""What all windows have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

T = TypeVar("T")
W = TypeVar("W", bound="Window")


class Window(ABC):
    """Names a group of records. Equal windows are one group, so a window has equality and a hash, and never changes."""

    @abstractmethod
    def max_timestamp(self) -> int:
        """Return the highest timestamp in ms that can belong to the window."""
