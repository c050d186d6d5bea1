"""How an edge places records on the subtasks of its target: Flink's partitioners, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Partitioner:
    """Base of the ways to place records. Everything but `Forward` is an exchange."""

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    @property
    def exchanges(self) -> bool:
        """Whether records may leave the subtask that made them."""
        return True


@dataclass(frozen=True)
class Forward(Partitioner):
    """Stay in the subtask that made the record; may be chained."""

    @property
    def exchanges(self) -> bool:
        return False


@dataclass(frozen=True)
class Rebalance(Partitioner):
    """Round robin over all subtasks."""


@dataclass(frozen=True)
class Rescale(Partitioner):
    """Round robin over the subtasks that belong to this one: a subset, as Flink's local exchange."""


@dataclass(frozen=True)
class Shuffle(Partitioner):
    """A random subtask for each record; the choice is repeated exactly in a replay."""


@dataclass(frozen=True)
class Broadcast(Partitioner):
    """Every subtask gets every record."""


@dataclass(frozen=True)
class Global(Partitioner):
    """The first subtask gets every record."""


@dataclass(frozen=True)
class Hash(Partitioner):
    """By key: the subtask that owns the key's key group.

    Attributes:
        key: record -> key; the key must be hashable and its hash must not depend on the process.
        key_type: Declared type of the key, or None.
    """

    key: Callable[[Any], Any]
    key_type: Any = None


@dataclass(frozen=True)
class Custom(Partitioner):
    """By the user's own function.

    Attributes:
        partition: (key, number of subtasks) -> subtask index.
        key: record -> key.
        key_type: None; `Hash` has one.
    """

    partition: Callable[[Any, int], int]
    key: Callable[[Any], Any]
    key_type: Any = None
