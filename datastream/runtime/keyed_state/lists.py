"""`ListState`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from datastream.state import ListState, ListStateDescriptor
from datastream.types.elements import Elements

from . import collection
from .cell import Cell
from .collection import Collection
from .lifetime import Lifetime
from .spilled_list import SpilledList


class ListHandle(Collection, ListState[Any]):
    """Stores a list, or the description of one in chunks."""

    def __init__(self, cell: Cell, descriptor: ListStateDescriptor) -> None:
        super().__init__(cell, descriptor, list, SpilledList)

    def get(self) -> Elements[Any]:
        content = self._cell.content
        stored = content.get(self._slot)
        if stored is None:
            return Elements([])
        if type(stored) is list:
            return Elements(stored.copy())
        return Elements(None, *self._opened(content, stored).reader())

    def add(self, value: Any) -> None:
        content = self._cell.content
        stored = content.get(self._slot)
        if stored is None:
            content[self._slot] = [value]
        elif type(stored) is list:
            stored.append(value)
            if len(stored) > collection.MOST_ENTRIES:
                self._spill(content, self._cell.pages.group_of(self._cell.key), self._latest())
        else:
            self._opened(content, stored).append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        for value in values:
            self.add(value)

    def update(self, values: Iterable[Any]) -> None:
        values = list(values)  # may be this state's own `get`
        self.clear()
        self.add_all(values)


class ExpiringListHandle(ListHandle):
    """Stores elements as (time in ms, element). Times never go down along a list."""

    def __init__(self, cell: Cell, descriptor: ListStateDescriptor, lifetime: Lifetime) -> None:
        super().__init__(cell, descriptor)
        self._lifetime = lifetime

    def get(self) -> Elements[Any]:
        content, slot = self._cell.content, self._slot
        stored = content.get(slot)
        if stored is None:
            return Elements([])
        now = self._cell.clock()
        before = now - self._lifetime.ttl
        if type(stored) is not list:
            spilled = self._opened(content, stored)
            chunks, end = spilled.chunks(), spilled.end
            return Elements(None, lambda: self._live(spilled, chunks(), end, now, before))
        kept = [pair for pair in stored if pair[0] > before]
        found = stored if self._lifetime.give_expired else kept
        if not kept:
            del content[slot]
        elif self._lifetime.on_read:
            content[slot] = [(now, pair[1]) for pair in kept]
        elif len(kept) < len(stored):
            content[slot] = kept
        return Elements([pair[1] for pair in found])

    def add(self, value: Any) -> None:
        now = self._cell.clock()
        super().add((now, value))
        stored = self._cell.content[self._slot]
        if type(stored) is SpilledList:
            stored.latest = now
            stored.expire(now - self._lifetime.ttl)

    def _live(
        self, spilled: SpilledList, chunks: Iterator[tuple[int, list[Any]]], end: int, now: int, before: int
    ) -> Iterator[Any]:
        for index, part in chunks:
            kept = [pair for pair in part if pair[0] > before]
            if kept and self._lifetime.on_read:
                spilled.latest = now
                renewed = [(now, pair[1]) for pair in kept]
                if index < end:
                    spilled.replace(index, renewed)
                elif spilled.end == end:
                    spilled.tail[: len(part)] = renewed
            for pair in part if self._lifetime.give_expired else kept:
                yield pair[1]
        spilled.expire(before)

    def tidy(self, content: dict[Any, Any], now: int) -> None:
        """Drop the elements that have expired; of a list in chunks, once all of them have."""
        before = now - self._lifetime.ttl
        stored = content.get(self._slot)
        if type(stored) is list:
            if stored[0][0] <= before:
                stored[:] = [pair for pair in stored if pair[0] > before]
                if not stored:
                    del content[self._slot]
        elif stored is not None:
            spilled = self._opened(content, stored)
            if spilled.latest is None or spilled.latest <= before:
                del content[self._slot]
                spilled.drop()

    def _latest(self) -> int:
        return self._cell.clock()


def list_handle(cell: Cell, descriptor: ListStateDescriptor) -> ListHandle:
    """The handle of a list a key."""
    lifetime = Lifetime.of(descriptor)
    return ListHandle(cell, descriptor) if lifetime is None else ExpiringListHandle(cell, descriptor, lifetime)
