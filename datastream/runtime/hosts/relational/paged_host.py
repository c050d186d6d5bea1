"""What hosts that keep a value of each key have in common: the pages of their values, which may expire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from datastream.graph.operators import KeepingOperator
from datastream.runtime.hosts.host import CHUNK, Host, Setting
from datastream.runtime.pages import PagedState, PageId, Store
from datastream.types.pickles import dumps_plain


class PagedHost(Host):
    """Keeps its values in pages, for which `KeepingOperator.ttl_ms` counts."""

    def __init__(self, op: KeepingOperator, setting: Setting) -> None:
        super().__init__(op, setting)
        self._keeping = op

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._state = open_pages(self._keeping, store, self.setting)
        self._groups = groups

    def pages(self) -> list[PagedState]:
        return [self._state]

    def flush(self) -> int | None:
        self._state.flush()
        return None

    def _load(self, keys: list[Any]) -> dict[Any, Any]:
        """The values by key, with those of these keys."""
        new = set(keys).difference(self._state.values)
        if new:
            self._state.load(new)
            self._loaded(new)
        return self._state.values

    def _loaded(self, keys: set[Any]) -> None:
        """The values of these keys were read."""

    def _kept(self) -> Iterator[list[tuple[Any, Any]]]:
        """All keys and their values, some at a time."""
        self._state.flush()
        entries = self._state.items(self._groups)
        while part := list(islice(entries, CHUNK)):
            yield part


class RemovablePages(PagedState):
    """Values by key, where None is no value: such keys are not stored."""

    _dumps = staticmethod(dumps_plain)

    def _store_values(self) -> set[PageId]:
        dirty = super()._store_values()
        for place in dirty:
            page = self._pages[place]
            for key in self._members[place]:
                if key in page and page[key] is None:
                    del page[key]
        return dirty


class ExpiringPages(RemovablePages):
    """Values that are forgotten when their key was not asked for during a time.

    A page has each value with the time in ms of the epoch that asked for it last. What has expired is not given, and
    is taken out when its page is written.

    Args:
        ttl: The time, in ms.
        clock: Returns the machine's time in ms.
    """

    def __init__(self, store: Store, uid: str, max_parallelism: int, ttl: int, clock: Callable[[], int]) -> None:
        super().__init__(store, uid, max_parallelism)
        self.expires = True
        self._now = clock()
        self._oldest = self._now - ttl

    def load(self, keys: Iterable[Any]) -> None:
        keys = list(keys)
        super().load(keys)
        values = self.values
        for key in keys:
            if key in values:
                touched, value = values[key]
                values[key] = value if touched > self._oldest else None

    def _store_values(self) -> set[PageId]:
        plain = self.values
        now = self._now
        self.values = {key: None if value is None else (now, value) for key, value in plain.items()}
        dirty = super()._store_values()
        self.values = plain
        for place in dirty:
            self.tidy(self._pages[place])
        return dirty

    def tidy(self, page: dict[Any, Any]) -> None:
        for key in [key for key, (touched, _) in page.items() if touched <= self._oldest]:
            del page[key]


def open_pages(op: KeepingOperator, store: Store, setting: Setting) -> RemovablePages:
    """The pages of an operator, for an epoch."""
    if op.ttl_ms:
        return ExpiringPages(store, op.state_uid, setting.max_parallelism, op.ttl_ms, setting.clock)
    return RemovablePages(store, op.state_uid, setting.max_parallelism)
