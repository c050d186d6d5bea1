"""Follows one job, and keeps its metrics up to date."""

from __future__ import annotations

import time
from collections.abc import Mapping

from datastream import __version__
from datastream.config.settings import EpochProgress, EpochSummary, Restart
from datastream.graph import JobGraph
from datastream.graph.operators import Sink, Source, Window
from datastream.metrics import Kept, KeptChange, SubtaskMeasures

from .names import labels, printable
from .registry import REGISTRY, Registry
from .user_metrics import KNOWN, UserMetrics

_STATUSES = ("RUNNING", "RESTARTING", "FINISHED", "FAILED", "CANCELED")


class JobMetrics:
    """A listener of one job. Each value is of committed epochs, so no attempt counts twice.

    Args:
        graph: The job.
        most: Series that a metric of the user's may have.
        registry: Where its metrics are.
    """

    def __init__(self, graph: JobGraph, most: int = 1000, registry: Registry = REGISTRY) -> None:
        self._registry = registry
        self._job = printable(graph.name)
        self._names = {op.state_uid: op.name for op in graph.operators}
        self._sinks = {op.state_uid for op in graph.of_kind(Sink)}
        self._sources = {op.state_uid for op in graph.of_kind(Source)}
        self._kept: dict[tuple[str, int], Kept] = {}
        self._labels: dict[tuple[str, int | str], str] = {}
        connectors = {op.state_uid for op in graph.operators if isinstance(op, (Source, Sink))}
        self._user = UserMetrics(registry, self._job, self._names, connectors, most)

    def on_start(self, graph: JobGraph) -> None:
        registry, job = self._registry, self._job
        registry.info.labels(job, __version__).set(1)
        registry.started.labels(job).set(time.time())
        for metric in (registry.restarts, registry.epochs, registry.records_in, registry.records_out):
            metric.labels(job)  # is there from the start, as 0, so that rates see the first one
        with registry.lock:
            for window in graph.of_kind(Window):
                registry.counter(*KNOWN["numLateRecordsDropped"]).add(self._of(window.state_uid), 0)
            for source in graph.of_kind(Source):
                if source.source.produced.side_tags:
                    registry.counter(*KNOWN["numRecordsInErrors"]).add(self._of(source.state_uid), 0)
        self._status("RUNNING")

    def on_epoch(self, summary: EpochSummary) -> None:
        registry, job = self._registry, self._job
        self._status("RUNNING")
        registry.epochs.labels(job).inc()
        registry.epoch.labels(job).set(summary.epoch)
        registry.committed.labels(job).set(time.time())
        registry.records_in.labels(job).inc(summary.records_in)
        registry.records_out.labels(job).inc(summary.records_out)
        if summary.run_ms is not None:
            registry.epoch_seconds.labels(job).observe(summary.run_ms / 1000)
        with registry.lock:
            for uid, subtasks in summary.measures.items():
                for subtask, measures in subtasks.items():
                    self._operator(uid, subtask, measures)
            for uid, spent in summary.commit_ns.items():
                where = self._of(uid)
                registry.commits.add(where, 1)
                registry.commit_seconds.add(where, spent / 1e9)
            self._user.add(summary.user_metrics)

    def on_backlog(self, backlog: Mapping[str, Mapping[str, int]]) -> None:
        """What waits to be read: source's uid -> partition -> records."""
        registry = self._registry
        with registry.lock:
            for uid, partitions in backlog.items():
                for partition, records in partitions.items():
                    registry.pending.set(self._of(uid, partition), records)

    def on_progress(self, progress: EpochProgress) -> None:
        registry, job = self._registry, self._job
        for phase, seconds in progress.phases.items():
            registry.phase_seconds.labels(job, phase).inc(seconds)
        registry.state_entries.labels(job).set(progress.state_entries)
        registry.state_memory.labels(job).set(progress.state_memory_bytes)
        registry.state_disk.labels(job).set(progress.state_disk_bytes)

    def on_restart(self, restart: Restart) -> None:
        if restart.counted:
            self._registry.restarts.labels(self._job).inc()
        self._status("RESTARTING")

    def on_end(self, status: str, error: BaseException | None) -> None:
        self._status(status)

    def _operator(self, uid: str, subtask: int, measures: SubtaskMeasures) -> None:
        registry, where = self._registry, self._of(uid, subtask)
        registry.operator_in.add(where, measures.records_in)
        if uid not in self._sinks:
            registry.operator_out.add(where, measures.records_out)
        if measures.busy_ns:
            registry.busy.add(where, measures.busy_ns / 1e9)
        if measures.watermark is not None:
            registry.watermark.set(where, measures.watermark)
            registry.lag.set(where, measures.watermark)
        if uid in self._sources:
            for partition, mark in measures.parts.items():  # those of an epoch begin anew, but event time does not
                of_partition = self._of(uid, partition)
                registry.partition_lag.set(
                    of_partition, max(mark, registry.partition_lag.values.get(of_partition, mark))
                )
        if measures.kept is not None:
            self._keeps(uid, subtask, measures.kept)

    def _keeps(self, uid: str, subtask: int, kept: KeptChange) -> None:
        before = self._kept.get((uid, subtask), kept.before)
        if before is None:
            return  # the epoch that told it was not committed; another process will tell it
        now = self._kept[uid, subtask] = before.plus(kept.change)
        registry, where = self._registry, self._of(uid, subtask)
        registry.keys.set(where, now.keys)
        registry.state_bytes.set(where, now.bytes)
        registry.timers.set(where, now.timers)

    def _of(self, uid: str, part: int | str | None = None) -> str:
        """The labels of an operator, one of its subtasks, or a partition of a source."""
        key = (uid, "" if part is None else part)
        found = self._labels.get(key)
        if found is None:
            pairs = [("job_name", self._job), ("operator", self._names.get(uid, uid)), ("uid", uid)]
            if part is not None:
                pairs.append(("subtask" if isinstance(part, int) else "partition", str(part)))
            found = self._labels[key] = labels(pairs)
        return found

    def _status(self, status: str) -> None:
        for each in _STATUSES:
            self._registry.status.labels(self._job, each).set(each == status)
