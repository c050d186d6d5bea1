"""What hosts that keep a value of each key have in common."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from datastream.graph.operators import KeepingOperator
from datastream.runtime.hosts.host import CHUNK, Host, Setting
from datastream.runtime.pages import PagedState, Store

from .pages import open_pages


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
