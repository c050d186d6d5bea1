"""The running aggregate by key: ``reduce`` and all that lowers to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from datastream.types.pickles import dumps, loads

from .pages import PagedState

_NONE = object()
_FIXED = frozenset({int, float, bool, str, bytes, type(None), complex})


def _is_fixed(value: Any) -> bool:
    """Whether nobody can change a value in place."""
    return type(value) in _FIXED or (type(value) is tuple and _FIXED.issuperset(map(type, value)))


class ReduceHost:
    """Runs one reduce function over keyed state, for one subtask and epoch.

    In streaming mode every record gives the aggregate so far; in batch mode nothing is given until the end.

    Attributes:
        record: The record in hand, for error messages.
    """

    def __init__(self, function: Callable[[Any, Any], Any], state: PagedState, batch: bool) -> None:
        self._function = function
        self._state = state
        self._batch = batch
        self.record: Any = None

    def process(self, keys: list[Any], records: list[Any]) -> list[Any]:
        values = self._state.values
        new = set(keys).difference(values)
        if new:
            self._state.load(new)
        function, get = self._function, values.get
        out: list[Any] = []
        give = out.append
        record = None
        try:
            for key, record in zip(keys, records):  # noqa: B905 - a block's halves have one length
                value = get(key, _NONE)
                value = record if value is _NONE else function(value, record)
                values[key] = value
                give(value)
        except BaseException:
            self.record = record
            raise
        if self._batch:
            return []
        for key in set(keys):  # what goes on downstream may be changed there; what is kept must not
            if not _is_fixed(values[key]):
                values[key] = loads(dumps(values[key]))
        return out

    def finish(self, final: bool, groups: Iterable[int], block: int = 4096) -> Iterator[list[Any]]:
        """Write the state back; at the end of a batch job, the final aggregate of every key."""
        self._state.flush()
        if final and self._batch:
            part: list[Any] = []
            for _, value in self._state.items(groups):
                part.append(value)
                if len(part) >= block:
                    yield part
                    part = []
            if part:
                yield part
