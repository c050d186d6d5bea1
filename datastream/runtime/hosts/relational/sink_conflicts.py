"""Rows of several keys of a query that have one key of a sink: the first one counts, or they are an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.graph.operators import SinkMaterialize
from datastream.graph.slots import ROWS_OF_SINK, SHOWN_BY_SINK
from datastream.runtime.hosts.host import KeyedHost, Out, Setting, Times, chunks
from datastream.time import TimeDomain

from .generated_code import AFTER, DELETE, INSERT
from .sink_rows import Row, SinkRows


class SinkConflictHost(KeyedHost):
    """Keeps the rows of each key of the sink, and looks at them when event time has advanced.

    What came and went meanwhile is no conflict: a count that rises from 1 to 2 leaves 1 to others.
    """

    def __init__(self, op: SinkMaterialize, setting: Setting) -> None:
        super().__init__(op, setting)
        self._op = op
        self._rows = SinkRows(op.upsert)

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        states, cell = self.states, self.states.cell
        states.load(set(keys))
        kind = INSERT
        for key, row in zip(keys, records, strict=True):
            content = states.values[key]
            if self._op.changes:
                kind, row = row[0], row[1:]
            rows = content.setdefault(ROWS_OF_SINK, [])
            if kind & 1:
                self._rows.take(rows, row)
            else:
                self._rows.put(rows, row)
            cell.key, cell.content = key, content
            states.timers.register_event_time_timer(self.watermark + 1)
        cell.leave()
        return self.untimed([])

    def fire(self, domain: TimeDomain, time: int) -> Iterator[Out]:
        if domain is TimeDomain.EVENT_TIME:
            yield from map(self.untimed, chunks(self._due(time)))

    def _due(self, time: int) -> Iterator[list[Any]]:
        for _, _ in self.states.fire(TimeDomain.EVENT_TIME, time):
            content = self.states.cell.content
            rows, shown = content.get(ROWS_OF_SINK, []), content.get(SHOWN_BY_SINK)
            found = self._shown(rows, shown)
            if found is None:
                content.pop(SHOWN_BY_SINK, None)
                content.pop(ROWS_OF_SINK, None)
                if shown is not None:
                    yield [(DELETE, *shown)]
            elif found != shown:
                content[SHOWN_BY_SINK] = found
                yield [(INSERT if shown is None else AFTER, *found)]

    def _shown(self, rows: list[Row], shown: Row | None) -> Row | None:
        """The row of a key that counts."""
        if not rows:
            return None
        if self._op.conflict == "error" and len(set(map(self._rows.known_by, rows))) > 1:
            key = ", ".join(f"{name}={cut(rows[0][at])}" for name, at in self._op.key)
            self.record = rows[1]
            raise ValidationError(
                "Primary key constraint violation: multiple distinct records with the same primary key detected. "
                f"Conflicting key: [{key}]. Use ON CONFLICT DO NOTHING to keep the first record."
            )
        at = None if shown is None else self._rows.find(rows, shown)
        return rows[at or 0]
