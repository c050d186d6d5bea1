"""`MapState`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from datastream.state import MapState, MapStateDescriptor
from datastream.state.maps import Entries, as_dict
from datastream.types.elements import Elements

from . import collection
from .cell import Cell
from .collection import Collection
from .lifetime import Lifetime
from .spilled_map import SpilledMap

_EMPTY: dict[Any, Any] = {}


class MapHandle(Collection, MapState[Any, Any]):
    """Stores a dict, or the description of a map in chunks."""

    def __init__(self, cell: Cell, descriptor: MapStateDescriptor) -> None:
        super().__init__(cell, descriptor, dict, SpilledMap)

    def get(self, key: Any) -> Any:
        stored = self._cell.content.get(self._slot, _EMPTY)
        return (stored if type(stored) is dict else self._entries()).get(key)

    def put(self, key: Any, value: Any) -> None:
        content = self._cell.content
        stored = content.get(self._slot)
        if stored is None:
            content[self._slot] = {key: value}
        elif type(stored) is dict:
            stored[key] = value
            if len(stored) > collection.MOST_ENTRIES:
                self._spill(content, self._cell.pages.group_of(self._cell.key), self._latest())
        else:
            self._opened(content, stored)[key] = value

    def put_all(self, dict_value: Entries[Any, Any]) -> None:
        new = as_dict(dict_value)
        entries = self._entries()
        if type(entries) is dict:
            for key, value in new.items():
                self.put(key, value)
        else:
            entries.update(new)

    def remove(self, key: Any) -> None:
        content = self._cell.content
        stored = content.get(self._slot, _EMPTY)
        if type(stored) is not dict:
            stored = self._entries()
        stored.pop(key, None)
        if not stored:
            self.clear()

    def contains(self, key: Any) -> bool:
        return key in self._entries()

    def items(self) -> Elements[tuple[Any, Any]]:
        entries = self._entries()
        if type(entries) is dict:
            return Elements(list(entries.items()))
        return Elements(None, entries.items, self._size(entries))

    def keys(self) -> Elements[Any]:
        entries = self._entries()
        return Elements(list(entries)) if type(entries) is dict else self._parts(itemgetter(0))

    def values(self) -> Elements[Any]:
        entries = self._entries()
        return Elements(list(entries.values())) if type(entries) is dict else self._parts(itemgetter(1))

    def is_empty(self) -> bool:
        return not self._entries()

    def _parts(self, part: itemgetter[int]) -> Elements[Any]:
        items = self.items()
        return Elements(None, lambda: map(part, items), self._size(self._entries()))

    def _size(self, entries: SpilledMap) -> Callable[[], int] | None:
        """What counts the entries of a map in chunks without reading them."""
        return entries.__len__

    def _entries(self) -> Any:
        """The dict, or what is used like one."""
        content = self._cell.content
        stored = content.get(self._slot, _EMPTY)
        return stored if type(stored) is dict else self._opened(content, stored)


class ExpiringMapHandle(MapHandle):
    """Stores values as (time in ms, value)."""

    def __init__(self, cell: Cell, descriptor: MapStateDescriptor, lifetime: Lifetime) -> None:
        super().__init__(cell, descriptor)
        self._lifetime = lifetime

    def get(self, key: Any) -> Any:
        pair = self._read(key)
        return None if pair is None else pair[1]

    def contains(self, key: Any) -> bool:
        return self._read(key) is not None

    def put(self, key: Any, value: Any) -> None:
        now = self._cell.clock()
        super().put(key, (now, value))
        stored = self._cell.content[self._slot]
        if type(stored) is SpilledMap:
            stored.latest = now
            stored.expire(key, now - self._lifetime.ttl)

    def put_all(self, dict_value: Entries[Any, Any]) -> None:
        for key, value in as_dict(dict_value).items():
            self.put(key, value)

    def items(self) -> Elements[tuple[Any, Any]]:
        entries = self._entries()
        if type(entries) is dict:
            return Elements(list(self._live(entries)))
        return Elements(None, lambda: self._live(entries))

    def keys(self) -> Elements[Any]:
        return self._of_items(itemgetter(0))

    def values(self) -> Elements[Any]:
        return self._of_items(itemgetter(1))

    def _of_items(self, part: itemgetter[int]) -> Elements[Any]:
        items = self.items()
        return Elements(list(map(part, items))) if items.in_memory else self._parts(part)

    def _size(self, entries: SpilledMap) -> None:
        return None  # some have expired

    def is_empty(self) -> bool:
        entries = self._entries()
        if not entries or self._lifetime.give_expired:
            return not entries
        before = self._cell.clock() - self._lifetime.ttl
        return all(touched <= before for _, (touched, _) in entries.items())

    def tidy(self, content: dict[Any, Any], now: int) -> None:
        """Drop the entries that have expired; of a map in chunks, once all of them have."""
        before = now - self._lifetime.ttl
        stored = content.get(self._slot)
        if type(stored) is dict:
            old = [key for key, (touched, _) in stored.items() if touched <= before]
            for key in old:
                del stored[key]
            if not stored:
                del content[self._slot]
        elif stored is not None:
            spilled = self._opened(content, stored)
            if spilled.latest is None or spilled.latest <= before:
                del content[self._slot]
                spilled.drop()

    def _read(self, key: Any) -> tuple[int, Any] | None:
        entries = self._entries()
        pair: tuple[int, Any] | None = entries.get(key)
        if pair is None:
            return None
        now = self._cell.clock()
        if pair[0] + self._lifetime.ttl <= now:
            self.remove(key)
            return pair if self._lifetime.give_expired else None
        if self._lifetime.on_read:
            self._renew(entries, key, now, pair[1])
        return pair

    def _live(self, entries: Any) -> Iterator[tuple[Any, Any]]:
        now = self._cell.clock()
        before = now - self._lifetime.ttl
        for key, (touched, value) in list(entries.items()) if type(entries) is dict else entries.items():
            if touched <= before:
                entries.pop(key)
                if not self._lifetime.give_expired:
                    continue
            elif self._lifetime.on_read:
                self._renew(entries, key, now, value)
            yield key, value
        if entries is self._cell.content.get(self._slot) and not entries:
            self.clear()

    def _renew(self, entries: Any, key: Any, now: int, value: Any) -> None:
        entries[key] = (now, value)
        if type(entries) is SpilledMap:
            entries.latest = now

    def _latest(self) -> int:
        return self._cell.clock()


def map_handle(cell: Cell, descriptor: MapStateDescriptor) -> MapHandle:
    """The handle of a map a key."""
    lifetime = Lifetime.of(descriptor)
    return MapHandle(cell, descriptor) if lifetime is None else ExpiringMapHandle(cell, descriptor, lifetime)
