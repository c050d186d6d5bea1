"""Event time of the sinks that read it, in the process that commits: what all their tasks have reported.

Nothing is stored: a restart begins with what its first epoch reports, as every task takes part in every epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from datastream.graph import Edge
from datastream.graph.operators import Operator

from .program import Program
from .timed_blocks import WatermarkReport
from .watermarks import Watermarks


class SinkWatermarks(Watermarks):
    """Takes the reports of an epoch in, and knows what time it is for each sink."""

    def __init__(self, program: Program) -> None:
        super().__init__(program, 0, 0, None, program.spec.clock())

    def take(self, tasks: Sequence[tuple[int, Mapping[int, list[WatermarkReport]]]], now: int) -> None:
        """Take what the tasks of an epoch have reported.

        Args:
            tasks: Of each its subtask, and its reports by the edge that leads to a sink.
            now: In ms.
        """
        self._now = now
        of_edges: dict[int, list[WatermarkReport]] = {}
        for sender, reports in tasks:
            for id, some in reports.items():
                self.activate(self._plan.edges[id], sender, some)
                of_edges.setdefault(id, []).extend(some)
        for sender, reports in tasks:
            for id, some in reports.items():
                self.receive_reports(self._plan.edges[id], sender, some)
        for id, some in of_edges.items():
            self.retire_lanes(self._plan.edges[id], some)

    def next_timer(self) -> int | None:
        """When the next silent task counts as idle, in ms, or None."""
        return min(self._deadlines(), default=None)

    def _operators(self, level: int) -> list[Operator]:
        return [op for op in self._plan.sinks if op.reads_watermarks]

    def _inputs(self, op: Operator, level: int) -> list[Edge]:
        return [edge for edge in self._plan.inputs[op.id] if edge.id in self._timing.committed]

    def _is_inside(self, edge: Edge) -> bool:
        return False
