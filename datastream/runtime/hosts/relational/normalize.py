"""Rows that replace the row of their key, as changes that name the row that they replace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import ChangelogNormalize
from datastream.runtime.hosts.host import CHUNK, Host, Out, Setting, Times
from datastream.runtime.pages import PagedState, Store

from .fold_code import AFTER, BEFORE, DELETE, INSERT
from .pages import open_pages


class ChangelogNormalizeHost(Host):
    """Keeps the last row of each key. A row that is the same as the one before, and a deletion of none, say nothing."""

    def __init__(self, op: ChangelogNormalize, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._state = open_pages(self._op, store, self.setting)
        self._groups = groups

    def pages(self) -> list[PagedState]:
        return [self._state]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._state.values
        new = set(keys).difference(values)
        if new:
            self._state.load(new)
        out: list[Any] = []
        for key, (kind, *row) in zip(keys, records, strict=True):
            last = values.get(key)
            if kind == BEFORE:
                continue
            if kind == DELETE:
                if last is not None:
                    values[key] = None
                    out.append((DELETE, *last))
                continue
            if last is None:
                out.append((INSERT, *row))
            elif last != row:
                if self._op.before:
                    out.append((BEFORE, *last))
                out.append((AFTER, *row))
            values[key] = row
        return self._out([] if self.setting.batch else out)

    def end(self) -> Iterator[Out]:
        """In batch mode, the last row of every key."""
        if not self.setting.batch:
            return
        self._state.flush()
        part: list[Any] = []
        for _, row in self._state.items(self._groups):
            part.append(tuple(row))
            if len(part) >= CHUNK:
                yield self._out(part)
                part = []
        if part:
            yield self._out(part)

    def flush(self) -> int | None:
        self._state.flush()
        return None

    def _out(self, rows: list[Any]) -> Out:
        return rows, [None] * len(rows) if self.setting.timed else None
