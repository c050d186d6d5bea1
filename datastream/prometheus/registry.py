"""All metrics of this process."""

from __future__ import annotations

import threading
import time
from typing import TypeVar

from prometheus_client import (
    GC_COLLECTOR,
    PLATFORM_COLLECTOR,
    PROCESS_COLLECTOR,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from .families import Derived, Family

#: Of what `Registry.text` returns, for HTTP.
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4

_JOB = ("job_name",)
#: Of an epoch, in s: from the quickest to those that take too long.
_EPOCH_BUCKETS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)

F = TypeVar("F", bound=Family)


class Registry:
    """Metrics of the jobs of a process. Those of a job as a whole are `prometheus_client`'s; those of its operators, of
    which there are many, are families of our own.

    Attributes:
        client: Metrics of the jobs as a whole, and of the process.
        lock: Held by whoever changes or writes families.
    """

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.lock = threading.Lock()
        self.client = CollectorRegistry(auto_describe=False)
        for collector in (PROCESS_COLLECTOR, PLATFORM_COLLECTOR, GC_COLLECTOR):
            self.client.register(collector)
        self._families: dict[str, Family] = {}
        self._samples: dict[str, str] = {}
        client = self.client
        self.info = Gauge("datastream_job_info", "Versions of a job.", (*_JOB, "version"), registry=client)
        self.status = Gauge(
            "datastream_job_status", "1 for the status that a job is in, else 0.", (*_JOB, "status"), registry=client
        )
        self.started = Gauge(
            "datastream_job_start_time_seconds", "When the job was started, since 1970.", _JOB, registry=client
        )
        self.restarts = Counter(
            "datastream_job_restarts", "How often the job was started again after a failure.", _JOB, registry=client
        )
        self.epochs = Counter("datastream_job_epochs", "Committed epochs.", _JOB, registry=client)
        self.epoch = Gauge("datastream_job_last_epoch", "Number of the last committed epoch.", _JOB, registry=client)
        self.committed = Gauge(
            "datastream_job_last_commit_timestamp_seconds", "When it was committed, since 1970.", _JOB, registry=client
        )
        self.epoch_seconds = Histogram(
            "datastream_job_epoch_seconds",
            "Time from an epoch's planning to its commit.",
            _JOB,
            registry=client,
            buckets=_EPOCH_BUCKETS,
        )
        self.phase_seconds = Counter(
            "datastream_job_phase_seconds",
            "Time of epochs by part: plan, compile, run and log.",
            (*_JOB, "phase"),
            registry=client,
        )
        self.state_entries = Gauge(
            "datastream_job_state_entries",
            "Entries of the state stores; one holds about 128 keys.",
            _JOB,
            registry=client,
        )
        self.state_memory = Gauge(
            "datastream_job_state_memory_bytes", "Memory of the state stores.", _JOB, registry=client
        )
        self.state_disk = Gauge("datastream_job_state_disk_bytes", "Files of the state stores.", _JOB, registry=client)
        self.records_in = Counter("datastream_job_records_in", "Records read from all sources.", _JOB, registry=client)
        self.records_out = Counter("datastream_job_records_out", "Records written to all sinks.", _JOB, registry=client)
        self.operator_in = self.counter("datastream_operator_records_in_total", "Records that an operator got.")
        self.operator_out = self.counter("datastream_operator_records_out_total", "Records that an operator gave.")
        self.busy = self.counter(
            "datastream_operator_busy_seconds_total",
            "Time spent in an operator and in the operators that are fused after it.",
        )
        self.watermark = self._add(
            Derived(
                "datastream_operator_watermark_timestamp_seconds",
                "Event time of an operator, since 1970.",
                lambda ms: ms / 1000,
            )
        )
        self.lag = self._add(
            Derived(
                "datastream_operator_watermark_lag_seconds",
                "How far the event time of an operator is behind the clock.",
                lambda ms: time.time() - ms / 1000,
            )
        )
        self.partition_lag = self._add(
            Derived(
                "datastream_source_watermark_lag_seconds",
                "How far the event time of a source's partition is behind the clock.",
                lambda ms: time.time() - ms / 1000,
            )
        )
        self.keys = self.gauge("datastream_operator_state_keys", "Keys of an operator that have state or timers.")
        self.state_bytes = self.gauge("datastream_operator_state_bytes", "Bytes of an operator's keyed state.")
        self.timers = self.gauge("datastream_operator_timers", "Timers of an operator that are set.")
        self.commit_seconds = self.counter(
            "datastream_sink_commit_seconds_total",
            "Time that a sink took to commit: its slowest writer and its committer.",
        )
        self.commits = self.counter("datastream_sink_commits_total", "Commits of a sink.")
        self.pending = self.gauge(
            "datastream_source_pending_records", "Records that wait in a source to be read, by its partition."
        )
        self.cut = self.counter(
            "datastream_metrics_series_cut_total", "Series of a metric that were left out, since it has too many."
        )

    def counter(self, name: str, help: str) -> Family:
        """A family of counters; the one of that name, if there is one."""
        return self._add(Family(name, "counter", help))

    def gauge(self, name: str, help: str) -> Family:
        """A family of gauges; the one of that name, if there is one."""
        return self._add(Family(name, "gauge", help))

    def summary(self, name: str, help: str) -> Family:
        """A family whose series are counts and sums; the one of that name, if there is one."""
        return self._add(Family(name, "summary", help))

    def families(self) -> list[Family]:
        """All families that there are."""
        return list(self._families.values())

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        with self.lock:
            families = [family.text() for family in self._families.values()]
        return generate_latest(self.client) + "".join(families).encode("utf-8", "replace")

    def _add(self, family: F) -> F:
        known = self._families.get(family.name)
        if known is None:
            if any(self._samples.get(name, family.name) != family.name for name in (family.name, *family.samples)):
                raise ValueError(f"{family.name} would have lines of another metric's name")
            known = self._families[family.name] = family
            self._samples.update((name, family.name) for name in (family.name, *family.samples))
        if known.kind != family.kind:
            raise ValueError(f"{family.name} is a {known.kind} already")
        return known  # type: ignore[return-value]


#: Of this process.
REGISTRY = Registry()
