"""Rows that replace the row of their key, as changes that name the row that they replace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import ChangelogNormalize
from datastream.runtime.hosts.host import Out, Setting, Times

from .generated_code import AFTER, BEFORE, DELETE, INSERT
from .paged_host import PagedHost


class ChangelogNormalizeHost(PagedHost):
    """Keeps the last row of each key. A row that is the same as the one before, and a deletion of none, say nothing."""

    def __init__(self, op: ChangelogNormalize, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
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
        return self.untimed([] if self.setting.batch else out)

    def end(self) -> Iterator[Out]:
        """In batch mode, the last row of every key."""
        if self.setting.batch:
            for part in self._kept():
                yield self.untimed([tuple(row) for _, row in part])
