"""Patterns in batch mode: all rows of a key in order, at the end."""

from __future__ import annotations

from datastream.errors import ValidationError
from datastream.graph.operators import MatchRecognize
from datastream.runtime.hosts.host import Setting
from datastream.time import MAX_WATERMARK

from .match_rows import MatchRows
from .sorted_rows import Row, SortedRowsHost
from .window_ends import MS


class MatchSortedHost(SortedRowsHost):
    """Runs one automaton for each key once its rows are there."""

    def __init__(self, op: MatchRecognize, setting: Setting) -> None:
        super().__init__(op, setting, MatchRecognize.ROWS, op.order)
        self._matches = MatchRows(op)
        self._time = op.order[0][0]

    def results(self, rows: list[Row]) -> list[Row]:
        time = self._time
        for row in rows:
            if row[time] is None:
                self.record = row
                raise ValidationError("the time of a row must not be NULL where it orders rows for MATCH_RECOGNIZE")
        key = self._matches.new()
        out = self._matches.take_all(key, ((row[time] // MS, row) for row in rows))
        return out + self._matches.advance(key, MAX_WATERMARK)
