"""What the command line passes to every environment of the process, and who listens to the job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from datastream.errors import CheckpointInUse

from .job_warnings import JobWarning
from .run_options import RunOptions


@dataclass(frozen=True)
class EpochSummary:
    """One committed epoch, as the sinks' commit messages report it.

    Attributes:
        epoch: Number of the micro-batch, from 0.
        records_in: Records read from all sources.
        records_out: Records written to all sinks.
        duration_ms: Wall time since the commit before, in ms; None for the first epoch.
        watermark: Event time in ms that no later record should be older than; None: not known.
        final: All sources have ended; no epoch follows.
        operators: Sources' and sinks' uid -> (records in, records out) of this epoch.
        user_metrics: Name -> what the user's metric came to in this epoch; see `datastream.metrics.MetricValues`.
        warnings: What the job is to be warned of; each cause comes once.
        measures: Operator's uid -> subtask -> `datastream.metrics.SubtaskMeasures`; empty unless the job is measured.
        commit_ns: Sinks' uid -> how long its commit took, in ns: its slowest writer's part and its committer's.
        run_ms: Wall time from its planning to its commit, in ms; None: not known.
    """

    epoch: int
    records_in: int
    records_out: int
    duration_ms: float | None = None
    watermark: int | None = None
    final: bool = False
    operators: dict[str, tuple[int, int]] = field(default_factory=dict)
    user_metrics: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[JobWarning, ...] = ()
    measures: dict[str, dict[int, Any]] = field(default_factory=dict)
    commit_ns: dict[str, int] = field(default_factory=dict)
    run_ms: float | None = None


@dataclass(frozen=True)
class Restart:
    """A job that has failed and is started again.

    Attributes:
        number: How many restarts there were, with this one; a tolerated failure of an epoch does not count.
        error: What failed.
        delay_s: The restart comes after this number of seconds.
        counted: Whether this restart counts.
    """

    number: int
    error: BaseException
    delay_s: float
    counted: bool = True


class JobListener(Protocol):
    """Hears of a job's life. Called in the driver, from a thread of its own."""

    def on_start(self, graph: Any) -> None: ...

    def on_epoch(self, summary: EpochSummary) -> None: ...

    def on_restart(self, restart: Restart) -> None: ...

    def on_end(self, status: str, error: BaseException | None) -> None: ...


@dataclass(frozen=True)
class EpochProgress:
    """What Spark reports of an epoch that it has ended.

    Attributes:
        phases: Part of the epoch -> seconds: ``plan``, ``compile``, ``run`` and ``log``.
        state_entries: Entries of the state stores, of about 128 keys each.
        state_memory_bytes: Memory that they take.
        state_disk_bytes: Their files.
        epoch: Its number; None: not known.
    """

    phases: dict[str, float]
    state_entries: int = 0
    state_memory_bytes: int = 0
    state_disk_bytes: int = 0
    epoch: int | None = None


@runtime_checkable
class MetricsListener(Protocol):
    """A listener that also hears of what is only there to be looked at."""

    def on_backlog(self, backlog: Mapping[str, Mapping[str, int]]) -> None:
        """What waits to be read: source's uid -> its part, such as a partition -> records."""

    def on_progress(self, progress: EpochProgress) -> None:
        """What Spark reports of an epoch; soon after its commit."""


class PlanCaptured(BaseException):
    """Ends a script once its graph was handed to `Settings.on_execute`."""


@dataclass
class Settings(RunOptions):
    """Process-wide settings: a run's options, which the command line fills in before it runs a script, and its hooks.

    Attributes:
        log_format: None: the script was not started by the command line.
        properties: ``-D key=value``; ``spark.*`` go to Spark.
        measured: Jobs are measured, as this process shows metrics to Prometheus.
        listeners: Notified of every job's life.
        followers: Make a listener of each job, from its graph.
        on_execute: If set, gets the graph instead of the engine (see `PlanCaptured`).
        on_options: If set, gets the graph and the `JobOptions` of each job, and returns those that it is run with.
        on_started: If set, gets the `JobHandle` of each job that was started.
        on_held: If set, called with the error while another job holds the checkpoint directory, before the next try.
        jobs_started: How many jobs this process has started.
    """

    log_format: str | None = None
    properties: dict[str, str] = field(default_factory=dict)
    measured: bool = False
    listeners: list[JobListener] = field(default_factory=list)
    followers: list[Callable[[Any], JobListener]] = field(default_factory=list)
    on_execute: Callable[[Any], None] | None = None
    on_options: Callable[[Any, Any], Any] | None = None
    on_started: Callable[[Any], None] | None = None
    on_held: Callable[[CheckpointInUse], None] | None = None
    jobs_started: int = 0


_settings = Settings()


def settings() -> Settings:
    """The process-wide settings."""
    return _settings
