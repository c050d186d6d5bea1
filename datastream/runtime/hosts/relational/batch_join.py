"""Joins of tables that end: the results, at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import TableJoin
from datastream.runtime.hosts.host import Out, Setting, Times, chunks

from .generated_code import noting
from .sided_join import SidedJoin


class BatchJoinHost(SidedJoin):
    """Keeps the rows of both sides of each key, and joins them when both have ended."""

    def __init__(self, op: TableJoin, setting: Setting) -> None:
        super().__init__(op, setting, (False, False))

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        self._sides[side].add(keys, records)
        return self.untimed([])

    def end(self) -> Iterator[Out]:
        self.flush()
        return map(self.untimed, chunks(self._results()))

    def _results(self) -> Iterator[list[Any]]:
        with noting(self):
            for group in self._groups:
                left, right = (side.group(group) for side in self._sides)
                for key in dict.fromkeys((*left, *right)):
                    out: list[Any] = []
                    rows, others = left.get(key, []), right.get(key, [])
                    is_null = self._is_null(key)
                    self._results_of(rows, [] if is_null else others, out)
                    if self._outer[1] and is_null:
                        out += [self._row(self._nothing[0], row) for row in others]
                    yield out
