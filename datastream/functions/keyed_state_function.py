"""A function of the state of every key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datastream.state.state import State


class KeyedStateFunction(ABC):
    """What `apply_to_keyed_state` of a broadcast context runs. Flink has it in Java, PyFlink does not."""

    @abstractmethod
    def process(self, key: Any, state: State) -> None:
        """Read or change the state of one key.

        Args:
            key: The key.
            state: Its state; of the kind that the descriptor describes.
        """
