"""Starts what the user wants of metrics."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from typing import Any

from datastream.config.settings import settings
from datastream.errors import ValidationError
from datastream.graph import JobGraph

from .job_metrics import JobMetrics
from .pushing import Pusher
from .server import MetricsServer

PORT = "datastream.metrics.port"
ADDRESS = "datastream.metrics.address"
PUSH_URL = "datastream.metrics.push.url"
PUSH_SECONDS = "datastream.metrics.push.interval-s"
MOST_SERIES = "datastream.metrics.max-series"

_LOGGER = logging.getLogger("datastream")
_servers: dict[tuple[str, int], MetricsServer] = {}


class Reporter(JobMetrics):
    """A job's metrics, and what pushes them."""

    _pusher: Pusher | None = None

    def push_to(self, url: str, job: str, interval_s: float) -> None:
        """Push the metrics until the job has ended."""
        self._pusher = Pusher(url, job, interval_s)

    def on_end(self, status: str, error: BaseException | None) -> None:
        super().on_end(status, error)
        if self._pusher is not None:
            self._pusher.close()


def reporter(graph: JobGraph, given: Mapping[str, str], shown: bool = False) -> JobMetrics | None:
    """What is to follow a job; None where its metrics are wanted nowhere.

    Args:
        graph: The job.
        given: What the user has set.
        shown: The metrics of this process are served elsewhere.

    Raises:
        ValidationError: A setting makes no sense, or the port is taken.
    """
    port, url = given.get(PORT), given.get(PUSH_URL)
    if port is None and not url and not shown:
        return None
    metrics = Reporter(graph, _number(given, MOST_SERIES, 1000, least=1))
    if port is not None:
        _serve(given.get(ADDRESS) or "127.0.0.1", _number(given, PORT, 0))
    if url:
        metrics.push_to(url, graph.name, _number(given, PUSH_SECONDS, 15, least=1))
    return metrics


def _serve(address: str, port: int) -> None:
    """Serve metrics; the jobs of a process share one server."""
    if (address, port) not in _servers:
        server = _servers[address, port] = MetricsServer(address, port)
        _tell(f"http://{address}:{server.port}/metrics")


def _tell(url: str) -> None:
    """Say where metrics are, in the form of the log."""
    match settings().log_format:
        case "json":
            import structlog

            structlog.get_logger("datastream").info("metrics", url=url)
        case "console":
            sys.stderr.write(f"metrics: {url}\n")
        case _:
            _LOGGER.info("metrics at %s", url)


def _number(settings: Mapping[str, Any], key: str, default: int, least: int = 0) -> int:
    text = settings.get(key)
    try:
        found = default if text is None else int(text)
    except ValueError:
        raise ValidationError(f"{key} must be a whole number, got {text!r}") from None
    if found < least:
        raise ValidationError(f"{key} must be at least {least}, got {found}")
    return found
