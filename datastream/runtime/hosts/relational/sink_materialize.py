"""Rows of several keys of a query that have one key of a sink: the last one counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import SinkMaterialize
from datastream.graph.slots import ROWS_OF_SINK
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times
from datastream.time import TimeDomain

from .generated_code import AFTER, DELETE, INSERT
from .sink_rows import SinkRows


class SinkMaterializeHost(KeyedHost):
    """Keeps the rows of each key of the sink in order: what goes uncovers the one before it."""

    def __init__(self, op: SinkMaterialize, setting: Setting) -> None:
        super().__init__(op, setting)
        self._changes = op.changes
        self._rows = SinkRows(op.upsert)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self.states.load(set(keys))
        out: list[Any] = []
        values, kind = self.states.values, INSERT
        for key, row in zip(keys, records, strict=True):
            content = values[key]
            rows = content.setdefault(ROWS_OF_SINK, [])
            if self._changes:
                kind, row = row[0], row[1:]
            if not kind & 1:
                out.append((AFTER if rows else INSERT, *row))
                self._rows.put(rows, row)
                continue
            gone = self._rows.take(rows, row)
            if not rows:
                del content[ROWS_OF_SINK]
                if gone is not None:
                    out.append((DELETE, *row))
            elif gone == len(rows):
                out.append((AFTER, *rows[-1]))
        return self.untimed(out)

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        return iter(())  # it waits for nothing
