"""Functions of blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.graph.operators import BlockCalc
from datastream.runtime.hosts.host import CHUNK, Host, Out, Setting, Times
from datastream.runtime.pages import Store


class BlockCalcHost(Host):
    """Calls the function with many rows at a time, which stay in order.

    Blocks are put together, since a call costs as much as hundreds of rows: rows wait for more of them, but not over a
    watermark or the end of an epoch.
    """

    def __init__(self, op: BlockCalc, setting: Setting) -> None:
        super().__init__(op, setting)
        self._function = op.function
        self._rows: list[Any] = []
        self._times: Times = []

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._rows, self._times = [], []

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        self._rows += records
        if self.setting.timed:
            self._times += times or [None] * len(records)
        if len(self._rows) < CHUNK:
            return self.untimed([])
        return self._run()

    def advance(self, watermark: int) -> Iterator[Out]:
        self.watermark = watermark
        return self.drain()

    def tick(self, now: int) -> Iterator[Out]:
        return self.drain()

    def end(self) -> Iterator[Out]:
        return self.drain()

    def drain(self) -> Iterator[Out]:
        """Make results of the rows that wait."""
        if self._rows:
            yield self._run()

    def flush(self) -> int | None:
        if self._rows:
            raise RuntimeError(
                f"the epoch ends, but {len(self._rows)} rows of '{self.op.name}' were not taken by drain()"
            )
        return None

    def _run(self) -> Out:
        rows, times = self._rows, self._times
        self._rows, self._times = [], []
        try:
            return self._function(rows), times if self.setting.timed else None
        except BaseException:
            self.what = self._function.running
            raise
