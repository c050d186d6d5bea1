"""States of one value a key: `ValueState`, `ReducingState`, `AggregatingState`."""

from __future__ import annotations

from typing import Any

from datastream.state import (
    AggregatingState,
    AggregatingStateDescriptor,
    ReducingState,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueState,
)

from .cell import Cell
from .lifetime import Lifetime, slot_of


class ValueHandle(ValueState[Any]):
    """The value itself is stored."""

    def __init__(self, cell: Cell, slot: str) -> None:
        self._cell = cell
        self._slot = slot

    def value(self) -> Any:
        return self._cell.content.get(self._slot)

    def update(self, value: Any) -> None:
        if value is None:
            self._cell.content.pop(self._slot, None)
        else:
            self._cell.content[self._slot] = value

    def clear(self) -> None:
        self._cell.content.pop(self._slot, None)

    def base(self) -> Any:
        """The value that something is about to be added to."""
        return self._cell.content.get(self._slot)


class ExpiringValueHandle(ValueHandle):
    """Stores (time in ms, value)."""

    def __init__(self, cell: Cell, slot: str, lifetime: Lifetime) -> None:
        super().__init__(cell, slot)
        self._lifetime = lifetime

    def value(self) -> Any:
        content, slot, lifetime = self._cell.content, self._slot, self._lifetime
        stored = content.get(slot)
        if stored is None:
            return None
        now = self._cell.clock()
        if stored[0] + lifetime.ttl <= now:
            del content[slot]
            return stored[1] if lifetime.give_expired else None
        if lifetime.on_read:
            content[slot] = (now, stored[1])
        return stored[1]

    def update(self, value: Any) -> None:
        if value is None:
            self._cell.content.pop(self._slot, None)
        else:
            self._cell.content[self._slot] = (self._cell.clock(), value)

    def base(self) -> Any:
        stored = self._cell.content.get(self._slot)
        if stored is None:
            return None
        live = self._lifetime.give_expired or stored[0] + self._lifetime.ttl > self._cell.clock()
        return stored[1] if live else None

    def tidy(self, content: dict[Any, Any], now: int) -> None:
        """Drop the value when it has expired."""
        stored = content.get(self._slot)
        if stored is not None and stored[0] + self._lifetime.ttl <= now:
            del content[self._slot]


def value_handle(cell: Cell, descriptor: StateDescriptor) -> ValueHandle:
    """The handle of one value a key."""
    lifetime = Lifetime.of(descriptor)
    if lifetime is None:
        return ValueHandle(cell, slot_of(descriptor))
    return ExpiringValueHandle(cell, slot_of(descriptor), lifetime)


class ReducingHandle(ReducingState[Any]):
    """Keeps the aggregate as a value."""

    def __init__(self, value: ValueHandle, descriptor: ReducingStateDescriptor) -> None:
        self._value = value
        self._reduce = descriptor.get_reduce_function().reduce

    def get(self) -> Any:
        return self._value.value()

    def add(self, value: Any) -> None:
        if value is None:  # as in Flink's heap state backend
            self._value.clear()
            return
        before = self._value.base()
        self._value.update(value if before is None else self._reduce(before, value))

    def clear(self) -> None:
        self._value.clear()


class AggregatingHandle(AggregatingState[Any, Any]):
    """Keeps the accumulator as a value."""

    def __init__(self, value: ValueHandle, descriptor: AggregatingStateDescriptor) -> None:
        self._value = value
        self._function = descriptor.get_agg_function()

    def get(self) -> Any:
        accumulator = self._value.value()
        return None if accumulator is None else self._function.get_result(accumulator)

    def add(self, value: Any) -> None:
        if value is None:
            self._value.clear()
            return
        accumulator = self._value.base()
        if accumulator is None:
            accumulator = self._function.create_accumulator()
        self._value.update(self._function.add(value, accumulator))

    def clear(self) -> None:
        self._value.clear()
