"""Pages of values that come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from datastream.graph.operators import KeepingOperator
from datastream.runtime.hosts.host import Setting
from datastream.runtime.pages import PagedState, PageId, Store


class RemovablePages(PagedState):
    """Values by key, where None is no value: such keys are not stored."""

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
            page = self._pages[place]
            for key in [key for key, (touched, _) in page.items() if touched <= self._oldest]:
                del page[key]
        return dirty


def open_pages(op: KeepingOperator, store: Store, setting: Setting) -> RemovablePages:
    """The pages of an operator, for an epoch."""
    if op.ttl_ms:
        return ExpiringPages(store, op.state_uid, setting.max_parallelism, op.ttl_ms, setting.clock)
    return RemovablePages(store, op.state_uid, setting.max_parallelism)
