"""The topic of a record, chosen by the record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class KafkaTopicSelector(ABC):
    """Chooses the topic that a record goes to. A function of a record does as well."""

    @abstractmethod
    def apply(self, data: Any) -> str:
        """The name of the topic for a record."""
