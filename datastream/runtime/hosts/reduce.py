"""The running aggregate by key: ``reduce`` and all that lowers to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from datastream.graph.operators import Reduce
from datastream.graph.state_forms import stored_uid
from datastream.runtime.keyed_state import KeyedStates, all_fixed, apart
from datastream.runtime.pages import MeteredState, PagedState, Store

from .host import CHUNK, Host, Out, Setting, Times

_NONE = object()


class ReduceHost(Host):
    """Runs one reduce function over keyed state; the value itself is stored, without anything around it.

    In streaming mode every record gives the aggregate so far; in batch mode nothing is given until the end.

    What is given must stay as it is though a function may change its first argument. To look at each result would take
    longer than to compute it, so that is done while there are aggregates that can be changed in place, and at first.

    States that the function asked for in ``open`` lie beside the aggregates, under a uid of their own.
    """

    def __init__(self, op: Reduce, setting: Setting) -> None:
        super().__init__(op, setting)
        self.states: KeyedStates = KeyedStates(setting.clock)
        self._function = op.function
        self._changeable = not setting.batch

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._state = PagedState(store, self.op.state_uid, self.setting.max_parallelism)
        self._groups = groups
        if self.states.in_use:
            uid = stored_uid(self.op.state_uid, Reduce.FUNCTION)
            self.states.begin(store, uid, self.setting.max_parallelism, groups)

    def pages(self) -> Sequence[MeteredState]:
        return [self._state, *super().pages()]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._state.values
        touched = set(keys)
        new = touched.difference(values)
        if new:
            self._state.load(new)
        function, get = self._function, values.get
        out: list[Any] = []
        give: Callable[[Any], None] = out.append
        if self._changeable or self.states.in_use:
            keep = out.append
            give = lambda result: keep(apart(result))  # noqa: E731
        record = None
        try:  # not `block_loop`: what is called here has no context, and what it returns is kept
            pointed = self._pointed(keys) if self.states.in_use else keys
            for key, record in zip(pointed, records):  # noqa: B905 - a block's halves have one length
                value = get(key, _NONE)
                value = record if value is _NONE else function(value, record)
                values[key] = value
                give(value)
        except BaseException:
            self.record = record
            raise
        if self.states.in_use:
            self.states.cell.leave()
        if self.setting.batch:
            return self.untimed([])
        changeable = not all_fixed(map(values.__getitem__, touched))
        if changeable and not self._changeable:  # what goes on downstream may be changed there; what is kept must not
            for key in touched:
                values[key] = apart(values[key])
        self._changeable = changeable
        return out, times

    def _pointed(self, keys: list[Any]) -> Iterator[Any]:
        """The keys of a block, each with the states of the function pointed at it."""
        states, cell = self.states, self.states.cell
        states.load(keys)
        for key in keys:
            cell.key, cell.content = key, states.values[key]
            yield key

    def end(self) -> Iterator[Out]:
        """In batch mode, the final aggregate of every key."""
        if not self.setting.batch:
            return
        self._state.flush()
        part: list[Any] = []
        for _, value in self._state.items(self._groups):
            part.append(value)
            if len(part) >= CHUNK:
                yield self.untimed(part)
                part = []
        if part:
            yield self.untimed(part)

    def flush(self) -> int | None:
        self._state.flush()
        return self.states.flush() if self.states.in_use else None
