"""Functions of blocks of rows."""

from __future__ import annotations

from typing import Any

from datastream.graph.operators import BlockCalc
from datastream.runtime.hosts.host import Host, Out, Setting, Times


class BlockCalcHost(Host):
    """Calls the function with each block, which stays in order."""

    def __init__(self, op: BlockCalc, setting: Setting) -> None:
        super().__init__(op, setting)
        self._function = op.function

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        try:
            rows = self._function(records) if records else []
        except BaseException:
            self.what = self._function.running
            raise
        return rows, (times or [None] * len(rows)) if self.setting.timed else None
