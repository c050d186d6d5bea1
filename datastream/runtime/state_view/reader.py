"""From the entries of a checkpoint to states by operator, name and key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, Protocol

from datastream.errors import ValidationError
from datastream.graph.state_forms import StateForm, Stored, from_json
from datastream.runtime.appended import Frame, by_key, logged
from datastream.runtime.pickled_keys import user_key
from datastream.runtime.runs import Pieces
from datastream.runtime.state_format import decode, decode_page
from datastream.runtime.state_format.layout import (
    NO_GROUP,
    PREFIX,
    broadcast_digest,
    broadcast_of,
    is_run,
    place_of,
    prefix_of,
)
from datastream.runtime.state_format.records import CHUNK

from .rows import StateName, StateRow
from .stored import Kept, StatesOf
from .unpickling import LenientReader

_AHEAD = 1000


class Entries(Protocol):
    """The entries of a checkpoint."""

    def pages(self, prefix: bytes) -> Iterable[tuple[bytes, bytes]]:
        """Entries whose keys begin with these 8 bytes, but no chunks of collections, in the order of their keys.

        An entry that every subtask has is given once.
        """
        ...

    def get(self, keys: list[bytes]) -> dict[bytes, bytes]:
        """Some entries; those that are not there are left out."""
        ...


class StateReader:
    """Reads the states of a checkpoint.

    Args:
        entries: The checkpoint's.
        operators: By uid, what ``job.json`` says of operators with state: their ``kind`` and ``forms`` are needed.

    Attributes:
        problems: What could not be read, and why, of what was read so far.
    """

    def __init__(self, entries: Entries, operators: Mapping[str, Mapping[str, Any]]) -> None:
        self._entries = entries
        self._operators = operators
        self._reader = LenientReader()
        self._damaged: list[str] = []

    @property
    def problems(self) -> list[str]:
        missing = [
            f"{name} could not be imported ({why}): its objects are shown as stand-ins; "
            "name the folder of its module, or see to it that this Python has it"
            if not name.startswith("__main__.")
            else f"{name} is defined in the job's own script: its objects are shown as stand-ins; "
            "a class in a module of its own can be imported"
            for name, why in self._reader.missing.items()
        ]
        return missing + self._damaged

    def names(self, operator: str | None = None) -> dict[StateName, int]:
        """All states, each with the number of keys that keep something in it.

        An operator that keeps nothing is there once, with no state, no form and 0 keys.

        Raises:
            ValidationError: There is no such operator.
        """
        counts: Counter[StateName] = Counter()
        for uid in self._chosen(operator):
            states = Counter(kept.name for kept in self._all(uid, None))
            counts.update(states or {StateName(uid, self._operators[uid]["kind"], "", ""): 0})
        return dict(counts)

    def rows(
        self,
        operator: str | None = None,
        state: str | None = None,
        key: Callable[[Any], bool] | None = None,
        limit: int | None = None,
        entries: int | None = None,
    ) -> Iterator[StateRow]:
        """What keys keep.

        Args:
            operator: The uid of the only operator to read.
            state: The name of the only state to give.
            key: Says of a key whether it is wanted.
            limit: At most this number of rows, and of entries of a collection.
            entries: At most this number of entries of a collection; None: as `limit`.

        Raises:
            ValidationError: There is no such operator, or no such state.
        """
        entries = limit if entries is None else entries
        found = islice(
            (
                kept
                for uid in self._chosen(operator)
                for kept in self._all(uid, state)
                if key is None or key(user_key(kept.key))
            ),
            limit,
        )
        first = True
        while some := list(islice(found, _AHEAD)):
            first = False
            wanted = [at for kept in some for at in kept.chunks(entries)]
            chunks = self._entries.get(wanted) if wanted else {}

            def fetch(at: bytes, chunks: dict[bytes, bytes] = chunks) -> Any:
                return (
                    self._read(lambda: decode(CHUNK, chunks[at], self._reader.loads), f"chunk {at.hex()}")
                    if at in chunks
                    else None
                )

            yield from (kept.row(entries, fetch) for kept in some)
        if first and state is not None:
            known = {name.state for name in self.names(operator)} - {""}
            if state not in known:
                raise ValidationError(
                    f"no state has the name '{state}'; there are: {', '.join(sorted(known)) or 'none'}"
                )

    # -- pages -------------------------------------------------------------------------------------------

    def _chosen(self, operator: str | None) -> list[str]:
        if operator is None:
            return list(self._operators)
        if operator not in self._operators:
            known = ", ".join(self._operators) or "none"
            raise ValidationError(f"no operator with state has the uid '{operator}'; there are: {known}")
        return [operator]

    def _all(self, uid: str, state: str | None) -> Iterator[Kept]:
        """What all keys keep in the states, or in one state, of an operator."""
        for form in from_json(self._operators[uid]):
            if form.stored is Stored.BROADCAST:
                yield from self._broadcast(uid, form, state)
            else:
                yield from self._keyed(uid, form, state)

    def _keyed(self, uid: str, form: StateForm, state: str | None) -> Iterator[Kept]:
        kind, states, prefix = self._operators[uid]["kind"], StatesOf(form), prefix_of(form.under(uid))
        if state is not None and not states.may_have(state):
            return
        for group, key, kept in self._logs(uid, form, prefix) if form.logs else self._pages(uid, form, prefix):
            for name, what, stored, expires in states.of(kept):
                if state in (None, name):
                    yield Kept(StateName(uid, kind, name, what), key, group, stored, expires, prefix)

    def _pages(self, uid: str, form: StateForm, prefix: bytes) -> Iterator[tuple[int, Any, Any]]:
        """What is in pages: key group, key, what it keeps."""
        pieces, last = Pieces(), NO_GROUP

        def in_runs() -> Iterator[tuple[int, Any, Any]]:
            content = self._read(lambda: pieces.take(self._reader.loads), f"a run of key group {last} of '{uid}'") or {}
            yield from ((last, *item) for item in content.items())

        for at, data in self._entries.pages(prefix):
            group, page = place_of(at)
            if pieces.ends_before(at):
                yield from in_runs()
            if is_run(at):
                pieces.add(at, data)
                last = group
            elif group != NO_GROUP:  # broadcast state lies beside them
                content = self._page(form, page, data, f"page {page} of key group {group} of '{uid}'")
                yield from ((group, *item) for item in content.items())
        yield from in_runs()

    def _logs(self, uid: str, form: StateForm, prefix: bytes) -> Iterator[tuple[int, Any, Any]]:
        """What lies in logs, a key group at a time: key group, key, what was added of it."""
        by_window = form.stored is Stored.LOGS_BY_WINDOW
        for group, entries in groupby(self._entries.pages(prefix), lambda entry: place_of(entry[0]).group):
            frames: list[Frame] = []
            for at, data in entries:
                frames += self._frames(at, data, by_window, f"a log of key group {group} of '{uid}'")
            yield from ((group, *item) for item in by_key(frames).items())

    def _broadcast(self, uid: str, form: StateForm, state: str | None) -> Iterator[Kept]:
        for at, data in self._entries.pages(prefix_of(form.under(uid))):
            place = broadcast_of(at)
            if place is None:
                continue
            digest, part = place  # the store has no names of broadcast states
            names = [state] if state is not None else form.states
            found = next((name for name in names if broadcast_digest(name) == digest), None)
            if state is not None and found is None:
                continue
            content = self._page(form, part, data, f"broadcast state of '{uid}'")
            name = StateName(uid, self._operators[uid]["kind"], found or f"(broadcast {digest.hex()})", "broadcast")
            yield from (Kept(name, key, -1, value, False, at[:PREFIX]) for key, value in content.items())

    def _frames(self, at: bytes, data: bytes, by_window: bool, what: str) -> list[Frame]:
        found = self._read(lambda: list(logged(at, data, self._reader.loads)), what) or ()
        if by_window:  # each with the end of its window, in µs
            return [(keys, [(end, value) for value in values]) for end, (keys, values) in found]
        return [frame for _, frame in found]

    def _page(self, form: StateForm, page: int, data: bytes, what: str) -> dict[Any, Any]:
        """A page; empty if it cannot be read."""
        return self._read(lambda: decode_page(form.stored, page, data, self._reader.loads), what) or {}

    def _read(self, read: Callable[[], Any], what: str) -> Any:
        try:
            return read()
        except Exception as error:  # a class may refuse what it wrote itself once
            self._damaged.append(f"{what} cannot be read: {type(error).__name__}: {error}")
            return None
