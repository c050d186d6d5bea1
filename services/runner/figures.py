"""What a job did, in counts that only grow while it runs: a listener of one job."""

from __future__ import annotations

import math
import threading
from collections import Counter, deque
from collections.abc import Mapping
from typing import Any

from datastream.config.settings import EpochProgress, EpochSummary, Restart
from datastream.graph import JobGraph
from datastream.metrics import CounterValue, MetricName

from .exceptions import described, of_restart
from .operator_figures import OperatorFigures
from .wall_clock import now_ms

_EPOCHS = 50
_EVENTS = 100
_TEXT_LIMIT = 200
#: Late records that an operator dropped: the engine's metric.
_LATE = "numLateRecordsDropped"


class Figures:
    """A listener of one job. Counts are of committed epochs; those of operators need a job that is measured.

    Args:
        graph: The job.

    Attributes:
        graph: The job.
        ended: How it ended; None: it has not.
    """

    def __init__(self, graph: JobGraph) -> None:
        self.graph = graph
        self.ended: str | None = None
        self._lock = threading.Lock()
        self._operators = {op.state_uid: OperatorFigures(graph.subtasks(op)) for op in graph.operators}
        self._last_epochs: deque[dict[str, Any]] = deque(maxlen=_EPOCHS)
        self._exceptions: deque[dict[str, Any]] = deque(maxlen=_EVENTS)
        self._warnings: deque[dict[str, Any]] = deque(maxlen=_EVENTS)
        self._epochs = self._records_in = self._records_out = 0
        self._run_s = 0.0
        self._phases: Counter[str] = Counter()
        self._watermark: int | None = None
        self._state = EpochProgress({})
        self._restarts = 0
        self._backlog: dict[str, int] = {}

    def on_start(self, graph: Any) -> None:
        pass

    def on_epoch(self, summary: EpochSummary) -> None:
        with self._lock:
            self._epochs += 1
            self._records_in += summary.records_in
            self._records_out += summary.records_out
            self._run_s += (summary.run_ms or 0) / 1000
            if summary.watermark is not None:
                self._watermark = summary.watermark
            for uid, subtasks in summary.measures.items():
                if uid in self._operators:
                    self._operators[uid].add(subtasks)
            for uid, spent in summary.commit_ns.items():
                if uid in self._operators:
                    self._operators[uid].commits += 1
                    self._operators[uid].commit_s += spent / 1e9
            for name, value in summary.user_metrics.items():
                if isinstance(name, MetricName) and isinstance(value, CounterValue) and not name.groups:
                    known = self._operators.get(name.uid)
                    if known is not None and name.name == _LATE:
                        known.late += value.count
            time_ms = now_ms()
            for each in summary.warnings:
                self._warnings.append(
                    {"time_ms": time_ms, "kind": each.kind, "operator": each.operator, "message": each.message}
                )
            kept = [each.kept.bytes for each in self._operators.values() if each.kept is not None]
            self._last_epochs.append(
                {
                    "epoch": summary.epoch,
                    "committed_ms": time_ms,
                    "run_ms": summary.run_ms,
                    "duration_ms": summary.duration_ms,
                    "records_in": summary.records_in,
                    "records_out": summary.records_out,
                    "watermark": summary.watermark,
                    "state_bytes": sum(kept) if kept else None,
                    "phases": {},
                }
            )

    def on_backlog(self, backlog: Mapping[str, Mapping[str, int]]) -> None:
        with self._lock:
            for uid, partitions in backlog.items():
                self._backlog[uid] = sum(partitions.values())
                if uid in self._operators:
                    self._operators[uid].pending = dict(partitions)

    def on_progress(self, progress: EpochProgress) -> None:
        with self._lock:
            self._state = progress
            self._phases.update(progress.phases)
            for each in reversed(self._last_epochs):
                if each["epoch"] == progress.epoch:
                    each["phases"] = progress.phases
                    break

    def on_restart(self, restart: Restart) -> None:
        with self._lock:
            self._restarts = restart.number
            self._exceptions.append(of_restart(restart))

    def on_end(self, status: str, error: BaseException | None) -> None:
        with self._lock:
            self.ended = status
            if error is not None and status == "FAILED":
                self._exceptions.append(described(error, "failed", self._restarts))

    def work(self) -> tuple[int, float, int | None]:
        """Records that were read, how long their epochs took, in s, and records that wait; None: no source knows."""
        with self._lock:
            return self._records_in, self._run_s, sum(self._backlog.values()) if self._backlog else None

    def as_dict(self) -> dict[str, Any]:
        """All statistics, ready for JSON."""
        state = self._state
        with self._lock:
            return {
                "parallelism": self.graph.parallelism,
                "max_parallelism": self.graph.max_parallelism,
                "epochs": self._epochs,
                "records_in": self._records_in,
                "records_out": self._records_out,
                "run_s": self._run_s,
                "phases": dict(self._phases),
                "last_epochs": [dict(each) for each in self._last_epochs],
                "watermark": self._watermark,
                "state": {
                    "entries": state.state_entries,
                    "memory_bytes": state.state_memory_bytes,
                    "disk_bytes": state.state_disk_bytes,
                },
                "operators": {uid: each.as_dict() for uid, each in self._operators.items()},
                "exceptions": list(self._exceptions),
                "warnings": list(self._warnings),
            }


def plain(value: Any) -> Any:
    """The value of a user's metric as JSON has it: numbers that JSON has no form for, and other objects, as text."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if value is None or type(value) in (bool, int) or (type(value) is float and math.isfinite(value)):
        return value
    try:
        text = str(value)
    except Exception as error:  # of whatever class a user's function has returned
        text = f"{type(value).__name__} whose text raised {type(error).__name__}"
    return text.encode("utf-8", "replace").decode()[:_TEXT_LIMIT]
