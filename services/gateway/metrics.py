"""The gateway's own metrics, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from .connections import Connections
from .job_states import ACTIVE, ENDED
from .jobs import Jobs
from .launchers.launcher import Launcher

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


class GatewayMetrics(Collector):
    """What there is to count.

    Args:
        jobs: They are counted when the metrics are read.
        launchers: By name.
    """

    def __init__(self, jobs: Jobs, launchers: Mapping[str, Launcher]) -> None:
        self._jobs, self._launchers = jobs, launchers
        self._connections: Connections | None = None
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "datastream_gateway_requests", "Requests by their status code.", ("method", "code"), registry=self._registry
        )
        self._seconds = Histogram(
            "datastream_gateway_request_seconds", "Time until an answer begins.", registry=self._registry
        )
        self._registry.register(self)

    def watch(self, connections: Connections) -> None:
        """Count connections, too."""
        self._connections = connections

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS") else "other"
        self._requests.labels(known, str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)

    def describe(self) -> Iterator[Metric]:
        """Not collected when it is registered."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The metrics that are looked up."""
        counts = self._jobs.counts()
        jobs = GaugeMetricFamily("datastream_gateway_jobs", "Jobs by state.", labels=("state",))
        for state in (*ACTIVE, *ENDED):
            jobs.add_metric((state,), counts.get(state, 0))
        yield jobs
        ready = GaugeMetricFamily(
            "datastream_gateway_pool_ready", "Drivers that are ready for the next job.", labels=("launcher",)
        )
        for name, launcher in self._launchers.items():
            pool = launcher.pool()
            if pool is not None:
                ready.add_metric((name,), pool[0])
        yield ready
        if self._connections is not None:
            yield GaugeMetricFamily(
                "datastream_gateway_connections", "Connections that are held.", value=len(self._connections)
            )
            ended = CounterMetricFamily(
                "datastream_gateway_connections_ended",
                "Connections that were refused or ended by a limit.",
                labels=("why",),
            )
            for why, number in sorted(self._connections.turned_away.items()):
                ended.add_metric((why,), number)
            yield ended
