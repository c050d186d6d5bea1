"""What an operator did, and each of its subtasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.metrics import Kept, SubtaskMeasures

from .hot_keys import HotKeys


class SubtaskFigures:
    """What an operator did in one subtask.

    Attributes:
        records_in: Records that it got.
        records_out: Records that it gave.
        busy_ns: Time that was spent in it and in those fused after it.
        watermark: Its event time, in ms; None: there is none yet.
        kept: What it keeps by key; None: nothing, or not known.
    """

    __slots__ = ("records_in", "records_out", "busy_ns", "watermark", "kept")

    def __init__(self) -> None:
        self.records_in = self.records_out = self.busy_ns = 0
        self.watermark: int | None = None
        self.kept: Kept | None = None

    def add(self, measures: SubtaskMeasures) -> None:
        """Add what it did in an epoch."""
        self.records_in += measures.records_in
        self.records_out += measures.records_out
        self.busy_ns += measures.busy_ns
        if measures.watermark is not None:
            self.watermark = measures.watermark
        if measures.kept is not None:
            before = self.kept or measures.kept.before
            if before is not None:  # else the epoch that told it was not committed; another process will tell it
                self.kept = before.plus(measures.kept.change)


class OperatorFigures:
    """What an operator did since the job was started.

    Args:
        parallelism: Number of its subtasks.

    Attributes:
        kept: What it keeps by key; None: nothing, or not known.
        late: Records that it dropped as late.
        commits: Commits, of a sink.
        commit_s: How long they took.
        pending: What waits to be read: partition -> records.
        watermarks: Of its partitions, or of its subtasks where it makes them of its own, in ms.
    """

    def __init__(self, parallelism: int) -> None:
        self._subtasks = [SubtaskFigures() for _ in range(parallelism)]
        self.kept: Kept | None = None
        self.late = self.commits = 0
        self.commit_s = 0.0
        self.pending: dict[str, int] = {}
        self.watermarks: dict[str, int] = {}
        self._hot_keys = HotKeys()

    def add(self, subtasks: Mapping[int, SubtaskMeasures]) -> None:
        """Add what its subtasks did in an epoch."""
        for subtask, measures in subtasks.items():
            figures = self._subtasks[subtask]
            before = figures.kept
            figures.add(measures)
            if figures.kept is not None and figures.kept is not before:
                self.kept = (self.kept or Kept()).plus(figures.kept.minus(before or Kept()))
            for part, mark in measures.parts.items():  # those of an epoch begin anew, but event time does not go back
                self.watermarks[part] = max(mark, self.watermarks.get(part, mark))
        self._hot_keys.add(each.sample for each in subtasks.values() if each.sample is not None)

    def as_dict(self) -> dict[str, Any]:
        """All statistics, ready for JSON."""
        watermarks = [each.watermark for each in self._subtasks if each.watermark is not None]
        return {
            "records_in": sum(each.records_in for each in self._subtasks),
            "records_out": sum(each.records_out for each in self._subtasks),
            "busy_s": sum(each.busy_ns for each in self._subtasks) / 1e9,
            "watermark": min(watermarks, default=None),
            "keys": None if self.kept is None else self.kept.keys,
            "state_bytes": None if self.kept is None else self.kept.bytes,
            "timers": None if self.kept is None else self.kept.timers,
            "late": self.late,
            "commits": self.commits,
            "commit_s": self.commit_s,
            "subtasks": [
                {
                    "subtask": number,
                    "records_in": each.records_in,
                    "records_out": each.records_out,
                    "busy_s": each.busy_ns / 1e9,
                    "watermark": each.watermark,
                }
                for number, each in enumerate(self._subtasks)
            ],
            "pending": self.pending,
            "watermarks": dict(self.watermarks),
            **self._hot_keys.as_dict(),
        }
