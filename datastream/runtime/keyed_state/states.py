"""All keyed state of one operator in one subtask."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar, cast

from datastream.errors import ValidationError, cut
from datastream.runtime.pages import PagedState, Store
from datastream.state import (
    AggregatingState,
    AggregatingStateDescriptor,
    KeyedStateStore,
    ListState,
    ListStateDescriptor,
    MapState,
    MapStateDescriptor,
    ReducingState,
    ReducingStateDescriptor,
    State,
    StateDescriptor,
    ValueState,
    ValueStateDescriptor,
)
from datastream.time import TimeDomain
from datastream.types import TypeInformation

from . import collection
from .cell import Cell
from .chunks import Chunks
from .collection import Collection
from .isolation import may_change
from .lifetime import slot_of
from .lists import ListHandle, list_handle
from .maps import MapHandle, map_handle
from .spilled_map import SpilledMap
from .timed_pages import TimedPages
from .timers import Timers
from .values import AggregatingHandle, ReducingHandle, ValueHandle, value_handle


class Declared(NamedTuple):
    """A state that a function has asked for.

    Attributes:
        name: Its name.
        kind: The class of its descriptor.
        type_info: The type of what is in it.
        expires: Values have a time to live, and stand beside the time when they were touched.
    """

    name: str
    kind: type
    type_info: TypeInformation | None
    expires: bool


D = TypeVar("D", bound=StateDescriptor)
H = TypeVar("H")


def _system_clock() -> int:
    return time.time_ns() // 1_000_000


class KeyedStates(KeyedStateStore):
    """Lives as long as the function it serves; `begin` and `flush` are an epoch's two ends.

    Between them: `load` the keys of a block, and for each record point `cell.key` and `cell.content` at a key and at
    its `values[key]`; or run through `fire`, which does so itself.

    An epoch that fails leaves nothing behind that the next `begin` would not forget.

    Args:
        clock: Returns the machine's time in ms; default: the system's.

    Attributes:
        cell: The key in hand.
        timers: The `TimerService` of the key in hand. Its `watermark` is set by the host.
        values: The contents of the loaded keys of this epoch.
        keeps_objects: Whether a state may keep objects that can be changed in place, by its type.
    """

    values: dict[Any, dict[Any, Any]]

    def __init__(self, clock: Callable[[], int] = _system_clock) -> None:
        self.cell = Cell(clock)
        self.timers = Timers(self.cell)
        self._handles: dict[str, tuple[type, Any, Any]] = {}
        self._declared: dict[str, Declared] = {}
        self._expiring: list[Any] = []
        self._collections: list[Collection] = []
        self.keeps_objects = False

    @property
    def in_use(self) -> bool:
        """Whether the function has asked for any state."""
        return bool(self._handles)

    def declared(self) -> dict[str, Declared]:
        """The states that the function has asked for, by where a content keeps them."""
        return self._declared

    # -- an epoch ----------------------------------------------------------------------------------------

    def begin(self, store: Store, uid: str, max_parallelism: int, groups: range) -> None:
        """Begin an epoch.

        Args:
            store: Where entries live.
            uid: Names the operator.
            max_parallelism: How many key groups there are.
            groups: The key groups of this subtask.
        """
        cell = self.cell
        cell.pages = TimedPages(store, uid, max_parallelism, groups, self)
        cell.chunks = Chunks(store, cell.pages.prefix)
        cell.leave()
        self.timers.begin()
        self.values = cell.pages.values

    def pages(self) -> list[PagedState]:
        """Where they are in this epoch; nowhere if it has not begun."""
        pages = getattr(self.cell, "pages", None)
        return [] if pages is None else [pages]

    def load(self, keys: Iterable[Any]) -> None:
        """Bring the contents of these keys into `values`, those that are not there yet."""
        new = set(keys).difference(self.values)
        if new:
            self.cell.pages.load(new)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[tuple[int, Any]]:
        """Take out the timers at a time or before it, in the order of their times: (timestamp, key).

        The cell points at the key that was given. Loads what is needed; costs nothing to speak of when nothing is due.
        """
        return self.timers.fire(domain.value, time)

    def flush(self) -> int | None:
        """End the epoch: write what was changed.

        Returns:
            The time in ms of the next timer of processing time, or None.
        """
        self.cell.leave()
        for content, slot, spilled in list(self.cell.chunks.touched.values()):
            if content.get(slot) is spilled and isinstance(spilled, SpilledMap):
                small = spilled.shrink(collection.MOST_ENTRIES // 4)
                if small is not None:
                    content[slot] = small
                    if not small:
                        del content[slot]
        self.cell.pages.flush()
        self.cell.chunks.flush()
        self.timers.begin()
        self.values = self.cell.pages.values
        return self.cell.pages.next_processing_time()

    @property
    def awaits_event_time(self) -> bool:
        """Whether timers of event time were set at the end of the epoch; call after `flush`."""
        return self.cell.pages.awaits_event_time

    @property
    def expires(self) -> bool:
        """Whether a state has a time to live."""
        return bool(self._expiring)

    def tidy(self, page: dict[Any, dict[Any, Any]]) -> None:
        """Drop what has expired from the contents of a page."""
        if self._expiring:
            now = self.cell.clock()
            for handle in self._expiring:
                for content in page.values():
                    handle.tidy(content, now)

    def lighten(self, page: dict[Any, dict[Any, Any]], group: int) -> bool:
        """Move large collections of a page to chunks; whether there were any."""
        return any([handle.lighten(content, group) for handle in self._collections for content in page.values()])

    def keys_with(self, descriptor: StateDescriptor, group: int) -> list[Any]:
        """The stored keys of a key group that have something in a state; call right after `begin`.

        What was loaded meanwhile is not looked at.
        """
        slot = slot_of(descriptor)
        return [key for key, content in self.cell.pages.items([group]) if slot in content]

    # -- states ------------------------------------------------------------------------------------------

    def state_of(self, descriptor: StateDescriptor) -> State:
        """The state of a descriptor of any kind."""
        getters: dict[type, Callable[[Any], State]] = {
            ValueStateDescriptor: self.get_state,
            ListStateDescriptor: self.get_list_state,
            MapStateDescriptor: self.get_map_state,
            ReducingStateDescriptor: self.get_reducing_state,
            AggregatingStateDescriptor: self.get_aggregating_state,
        }
        for kind, get in getters.items():
            if isinstance(descriptor, kind):
                return get(descriptor)
        raise ValidationError(f"a state is known by its StateDescriptor: got {cut(descriptor)}.")

    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState[Any]:
        return self._handle(state_descriptor, ValueStateDescriptor, self._value)

    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[Any]:
        def make(descriptor: ListStateDescriptor) -> ListHandle:
            return self._kept(list_handle(self.cell, descriptor))

        return self._handle(state_descriptor, ListStateDescriptor, make)

    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState[Any, Any]:
        def make(descriptor: MapStateDescriptor) -> MapHandle:
            return self._kept(map_handle(self.cell, descriptor))

        return self._handle(state_descriptor, MapStateDescriptor, make)

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState[Any]:
        def make(descriptor: ReducingStateDescriptor) -> ReducingHandle:
            return ReducingHandle(self._value(descriptor), descriptor)

        return self._handle(state_descriptor, ReducingStateDescriptor, make)

    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState[Any, Any]:
        def make(descriptor: AggregatingStateDescriptor) -> AggregatingHandle:
            return AggregatingHandle(self._value(descriptor), descriptor)

        return self._handle(state_descriptor, AggregatingStateDescriptor, make)

    def _handle(self, descriptor: D, kind: type[D], make: Callable[[D], H]) -> H:
        if not isinstance(descriptor, kind):
            raise ValidationError(f"this state needs a {kind.__name__}: got a {type(descriptor).__name__}.")
        name = descriptor.get_name()
        if name not in self._handles:
            self.keeps_objects = self.keeps_objects or may_change(descriptor)
            self._handles[name] = kind, descriptor.type_info, make(descriptor)
            expires = descriptor.get_ttl_config() is not None
            self._declared[slot_of(descriptor)] = Declared(name, kind, descriptor.type_info, expires)
        known, type_info, handle = self._handles[name]
        if known is not kind:
            raise ValidationError(
                f"the operator has a state '{name}' by a {known.__name__} already; "
                f"give the one by a {kind.__name__} another name."
            )
        other = descriptor.type_info
        if other != type_info and None not in (other, type_info):
            raise ValidationError(
                f"the operator has a state '{name}' of type {type_info} already; "
                f"give the one of type {other} another name."
            )
        return cast(H, handle)

    def _value(self, descriptor: StateDescriptor) -> ValueHandle:
        return self._kept(value_handle(self.cell, descriptor))

    def _kept(self, handle: H) -> H:
        if hasattr(handle, "tidy"):
            self._expiring.append(handle)
        if isinstance(handle, Collection):
            self._collections.append(handle)
        return handle
