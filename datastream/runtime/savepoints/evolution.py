"""Stored values and the types that are declared now: what converts is converted, what does not is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from datastream.errors import RESTORED_STATE, TypeMismatch, ValidationError, cut
from datastream.graph.operators import Operator
from datastream.graph.state_forms import StateForm, Stored
from datastream.runtime.broadcast_map import BroadcastMap
from datastream.runtime.hosts.host import system_clock
from datastream.runtime.keyed_state.spilled_list import SpilledList
from datastream.runtime.keyed_state.spilled_map import SpilledMap
from datastream.runtime.keyed_state.states import Declared
from datastream.runtime.pages import PagedState, Store
from datastream.runtime.pickled_keys import user_key
from datastream.runtime.program import Program
from datastream.runtime.state_format import decode, encode
from datastream.runtime.state_format.layout import piece_key
from datastream.runtime.state_format.records import CHUNK
from datastream.runtime.user_errors import user_failure
from datastream.state import ListStateDescriptor, MapStateDescriptor
from datastream.types import ListTypeInfo, MapTypeInfo, TypeInformation
from datastream.types.checking import checker
from datastream.types.conversion import COERCE
from datastream.types.pickled import PickledBytesTypeInfo

_FETCH = 256
_TTL = "\0ttl"
_AGGREGATE = "the running aggregate"

#: Value -> the value in the form of the declared type; None: any value will do.
Convert = Callable[[Any], Any] | None


def evolve_keyed(
    program: Program, op: Operator, form: StateForm, pages: PagedState, groups: range, store: Store
) -> None:
    """Make what keys keep fit what an operator declares.

    Args:
        program: The job.
        op: The operator, with its functions opened.
        form: Of the state.
        pages: What is kept.
        groups: The key groups of this subtask.
        store: Where chunks of large collections are.

    Raises:
        WorkerFailure: Something does not fit; names operator, state, key, value and type.
    """
    host = program.host(op)
    checked = program.spec.types_check != "off"
    if form.stored is Stored.VALUES:
        if form.typed and checked and (value := _converter(op.output_type)) is not None:
            pages.rewrite(groups, lambda key, kept: _aggregate(value, kept, op, key))
        return
    slots: dict[str, _Slot] = {}
    if checked and host.states is not None:
        slots = {slot: _Slot(declared) for slot, declared in host.states.declared().items()}
    if not slots and not host.refuses_others:
        return

    def change(key: Any, kept: Any) -> Any:
        try:
            host.refuse_others(kept)
            for slot, declared in slots.items():
                if slot not in kept and declared.other_slot(slot) in kept:
                    kept[slot] = declared.with_lifetime(key, kept.pop(declared.other_slot(slot)))
            for slot, stored in kept.items():
                if slot in slots:
                    kept[slot] = slots[slot].changed(key, stored, pages.prefix, store)
        except ValidationError as error:
            raise user_failure(error, op, RESTORED_STATE) from error.__cause__
        return kept

    pages.rewrite(groups, change)


def _aggregate(convert: Callable[[Any], Any], kept: Any, op: Operator, key: Any) -> Any:
    """A running aggregate in the form of its declared type."""
    try:
        return _converted(convert, kept, op.output_type, _AGGREGATE, key)
    except ValidationError as error:
        raise user_failure(error, op, RESTORED_STATE) from error.__cause__


def evolve_broadcast(program: Program, op: Operator, prefix: bytes, store: Store) -> None:
    """Make broadcast state fit what an operator declares; see `evolve_keyed`."""
    if program.spec.types_check == "off":
        return
    for descriptor in getattr(op, "descriptors", ()):
        of_keys, of_values = _converter(descriptor.type_info.key_type), _converter(descriptor.type_info.value_type)
        if of_keys is None and of_values is None:
            continue
        state = f"the broadcast state '{descriptor.get_name()}'"
        entries = BroadcastMap(descriptor.get_name())
        entries.begin(store, prefix)
        try:
            for part in entries.parts(change=True):
                for key, stored in part.items():
                    _same_key(of_keys, key, descriptor.type_info.key_type, state, key)
                    if of_values is not None and stored is not None:
                        part[key] = _converted(of_values, stored, descriptor.type_info.value_type, state, key)
        except ValidationError as error:
            raise user_failure(error, op, RESTORED_STATE) from error.__cause__
        entries.flush()


class _Slot:
    """A state that is declared.

    Args:
        declared: How.
    """

    def __init__(self, declared: Declared) -> None:
        self._name = f"the state '{declared.name}'"
        self._expires = declared.expires
        self._form = (
            "list"
            if declared.kind is ListStateDescriptor
            else "map"
            if declared.kind is MapStateDescriptor
            else "value"
        )
        kind = declared.type_info
        self._of_keys: Convert = None
        self._key_type = None
        if self._form == "list" and isinstance(kind, ListTypeInfo):
            kind = kind.elem_type
        elif self._form == "map" and isinstance(kind, MapTypeInfo):
            self._key_type, kind = kind.key_type, kind.value_type
            self._of_keys = _converter(self._key_type)
        self._type = kind
        self._convert = _converter(kind)

    def other_slot(self, slot: str) -> str:
        """Where the state lies if it has a time to live and this one has none, or the other way round."""
        return slot.removesuffix(_TTL) if self._expires else slot + _TTL

    def with_lifetime(self, key: Any, stored: Any) -> Any:
        """What was kept without a time to live, as touched now; or without its times what was kept with one."""
        if type(stored) in (SpilledList, SpilledMap):
            raise ValidationError(
                f"{self._name} has a time to live in {'this job' if self._expires else 'the savepoint'} alone, and the "
                f"key {cut(user_key(key))} keeps too much to change that; give the state another name"
            )
        now = system_clock()
        changed: Callable[[Any], Any] = (lambda one: (now, one)) if self._expires else itemgetter(1)
        if type(stored) is list and self._form == "list":
            return list(map(changed, stored))
        if type(stored) is dict and self._form == "map":
            return {of: changed(one) for of, one in stored.items()}
        return changed(stored)

    def changed(self, key: Any, stored: Any, prefix: bytes, store: Store) -> Any:
        """What is stored, in the declared form."""
        large = type(stored) in (SpilledList, SpilledMap)
        found = (
            "list" if type(stored) in (list, SpilledList) else "map" if type(stored) in (dict, SpilledMap) else "value"
        )
        if (self._form != "value" and found != self._form) or (self._form == "value" and large):
            raise ValidationError(
                f"{self._name} is declared as a {self._form}, but the savepoint has a {found} of this name, for the "
                f"key {cut(user_key(key))}; give the new state another name"
            )
        if self._convert is None and self._of_keys is None:
            return stored
        if type(stored) is SpilledList:
            stored.tail[:] = self._elements(key, stored.tail)
            self._change_chunks(key, stored, range(stored.first, stored.end), prefix, store)
            return stored
        if type(stored) is SpilledMap:
            self._change_chunks(key, stored, range(stored.chunks), prefix, store)
            return stored
        if self._form == "list":
            return self._elements(key, stored)
        return self._entries(key, stored) if self._form == "map" else self._one(key, stored)

    def _change_chunks(self, key: Any, stored: Any, indices: Iterable[int], prefix: bytes, store: Store) -> None:
        keys = [piece_key(prefix, stored.group, stored.id, index) for index in indices]
        for start in range(0, len(keys), _FETCH):
            some = keys[start : start + _FETCH]
            changed = []
            for at, data in zip(some, store.get(some), strict=True):
                if data is not None:
                    chunk = decode(CHUNK, data)
                    now = self._elements(key, chunk) if type(stored) is SpilledList else self._entries(key, chunk)
                    if (encoded := encode(CHUNK, now)) != data:
                        changed.append((at, encoded))
            if changed:
                store.put(changed)

    def _elements(self, key: Any, elements: list[Any]) -> list[Any]:
        return elements if self._convert is None else [self._one(key, element) for element in elements]

    def _entries(self, key: Any, entries: dict[Any, Any]) -> dict[Any, Any]:
        for of in entries:
            _same_key(self._of_keys, of, self._key_type, self._name, key)
        return entries if self._convert is None else {of: self._one(key, value) for of, value in entries.items()}

    def _one(self, key: Any, stored: Any) -> Any:
        if self._convert is None:
            return stored
        if self._expires:
            touched, value = stored
            return touched, value if value is None else _converted(self._convert, value, self._type, self._name, key)
        return None if stored is None else _converted(self._convert, stored, self._type, self._name, key)


def _converter(kind: TypeInformation | None) -> Convert:
    return None if kind is None or isinstance(kind, PickledBytesTypeInfo) else checker(kind, COERCE)


def _converted(convert: Callable[[Any], Any], value: Any, kind: Any, state: str, key: Any) -> Any:
    try:
        return convert(value)
    except TypeMismatch as error:
        raise ValidationError(
            f"{state} is declared as {kind}, but the savepoint has {cut(value)} for the key {cut(user_key(key))}, "
            f"which does not convert: {error}; declare a type that takes it, name the state anew, or take values "
            "as they are by datastream.types.check=off"
        ) from error


def _same_key(convert: Convert, map_key: Any, kind: Any, state: str, key: Any) -> None:
    """Refuse a key of a map that would be another one in its declared type: it would not be found."""
    if convert is not None and map_key is not None and _converted(convert, map_key, kind, state, key) != map_key:
        raise ValidationError(
            f"{state} is declared with map keys of type {kind}, but the savepoint has the map key {cut(map_key)} for "
            f"the key {cut(user_key(key))}; keys of maps are not converted: give the new state another name"
        )
