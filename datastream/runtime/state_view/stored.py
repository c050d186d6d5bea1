"""From what a content keeps in a slot to what people see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from datastream.graph.state_forms import StateForm, Stored
from datastream.runtime.keyed_state.spilled_list import SpilledList
from datastream.runtime.keyed_state.spilled_map import SpilledMap
from datastream.runtime.pickled_keys import user_key
from datastream.runtime.state_format.layout import piece_key

from .rows import StateName, StateRow

_TTL = "\0ttl"

#: The form of what lies in logs: what was added of a key, in order.
LOG_FORM = "list"

#: Gives the content of a chunk by its key; None if there is none.
Fetch = Callable[[bytes], Any]

#: A value or the first entries, how many there are, when they were last touched.
_Opened = tuple[Any, int | None, int | None]


class StateIn(NamedTuple):
    """A state of a key.

    Attributes:
        name: For people.
        form: ``timers``, ``value``, ``list`` or ``map``.
        stored: What is in it.
        expires: It has a time to live, so times are stored beside the values.
    """

    name: str
    form: str
    stored: Any
    expires: bool


class StatesOf:
    """The states that an operator keeps under one name.

    Args:
        form: How it keeps them; not of broadcast state.
    """

    def __init__(self, form: StateForm) -> None:
        self._form = form
        self._by_slot = form.stored is Stored.CONTENTS
        self._slots = {slot.number: slot for slot in form.slots}

    def may_have(self, state: str) -> bool:
        """Whether there may be a state of this name."""
        return self._by_slot or state == self._form.name

    def of(self, kept: Any) -> Iterator[StateIn]:
        """The states of a key.

        Args:
            kept: All that is stored for it.
        """
        form = self._form
        if not self._by_slot:
            yield StateIn(form.name, LOG_FORM if form.logs else "value", kept, form.timed)
            return
        for slot, stored in kept.items():
            name, expires = self._name(slot)
            yield StateIn(name, self._looks(slot, stored), stored, expires)

    def count(self, content: Mapping[Any, Any]) -> Counter[tuple[str, str]]:
        """By name and form, how many keys have something in a state.

        Args:
            content: By key, what is stored for it.
        """
        if self._by_slot:
            return Counter((state.name, state.form) for kept in content.values() for state in self.of(kept))
        return Counter({(self._form.name, LOG_FORM if self._form.logs else "value"): len(content)})

    def _name(self, slot: Any) -> tuple[str, bool]:
        """A slot's name for people, and whether what is in it has a time to live."""
        if type(slot) is str:
            return slot.removesuffix(_TTL), slot.endswith(_TTL)
        known = self._slots.get(slot[0] if isinstance(slot, tuple) and slot else slot)
        return f"(slot {slot!r})" if known is None else known.name, False

    def _looks(self, slot: Any, stored: Any) -> str:
        """What is in a slot: ``timers``, or by its looks ``value``, ``list`` or ``map``."""
        if type(slot) is int and slot in self._slots and self._slots[slot].timers:
            return "timers"
        kind = type(stored)
        if kind is list or kind is SpilledList:
            return "list"
        return "map" if kind is dict or kind is SpilledMap else "value"


class Kept(NamedTuple):
    """What a key keeps in one slot.

    Attributes:
        name: Of the state.
        key: The key.
        group: Its key group; -1 for broadcast state.
        stored: What is in the slot.
        expires: The state has a time to live, so times are stored beside the values.
        prefix: What the operator's entries begin with.
    """

    name: StateName
    key: Any
    group: int
    stored: Any
    expires: bool
    prefix: bytes

    def chunks(self, limit: int | None) -> list[bytes]:
        """Keys of the entries with the first `limit` entries of a large collection (None: all); none for others."""
        stored = self.stored
        if type(stored) is SpilledList:
            indices, size = range(stored.first, stored.end), stored.target
        elif type(stored) is SpilledMap:
            indices, size = range(stored.chunks), max(1, stored.count // stored.chunks)
        else:
            return []
        if limit is not None:
            indices = indices[: 2 * limit // size + 2]  # chunks of a map are not equally full
        return [piece_key(self.prefix, stored.group, stored.id, i) for i in indices]

    def row(self, limit: int | None, fetch: Fetch) -> StateRow:
        """The row for people, with this number of entries of a collection at most.

        Args:
            limit: How many; None: all.
            fetch: Returns the content of a chunk.
        """
        form = self.name.form
        if form in ("list", "timers"):
            value, entries, touched = self._list(limit, fetch)
        elif form == "map":
            value, entries, touched = self._map(limit, fetch)
        else:
            touched, value = self.stored if self.expires else (None, self.stored)
            entries = None
        return StateRow(
            **vars(self.name), key=user_key(self.key), value=value, entries=entries, touched=touched, group=self.group
        )

    def _list(self, limit: int | None, fetch: Fetch) -> _Opened:
        stored = self.stored
        latest = None
        if type(stored) is SpilledList:
            keys = self.chunks(limit)
            elements = [element for key in keys for element in fetch(key) or ()]
            known = stored.end - stored.first
            if len(keys) == known:
                elements += stored.tail
            count, latest = known * stored.target + len(stored.tail), stored.latest
        else:
            elements, count = stored, len(stored)
        if not self.expires:
            return elements[:limit], count, None
        if latest is None:
            latest = max((touched for touched, _ in elements), default=None)
        return [element for _, element in elements[:limit]], count, latest

    def _map(self, limit: int | None, fetch: Fetch) -> _Opened:
        stored = self.stored
        latest = None
        if type(stored) is SpilledMap:
            entries = [entry for key in self.chunks(limit) for entry in (fetch(key) or {}).items()]
            count, latest = stored.count, stored.latest
        else:
            entries, count = list(stored.items()), len(stored)
        if not self.expires:
            return dict(entries[:limit]), count, None
        if latest is None:
            latest = max((touched for _, (touched, _) in entries), default=None)
        return {key: value for key, (_, value) in entries[:limit]}, count, latest
