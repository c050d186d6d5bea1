"""Telling how a job gets on: a line on the terminal, a summary at the end, or JSON lines."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING

from datastream.config.settings import EpochSummary, Restart
from datastream.graph import JobGraph
from datastream.graph.operators import Sink, Source
from datastream.io import CollectingSink
from datastream.metrics import CounterValue, MetricName

if TYPE_CHECKING:
    from rich.status import Status

RECENT_EPOCHS = 8
NOTHING_NEW = "finished: nothing new, the job in this checkpoint directory has read all its input in an earlier run"
ENDED_ALREADY = "finished: nothing to do, the input of the job in this checkpoint directory had ended already"
ENDED_EARLY = "finished: ended before its first epoch"
MAX_WATERMARK_MS = 253_402_300_799_999  # the last ms that datetime can show; later means the end of time


#: Of a source: records that it cannot read. They are lost unless it has side outputs for them.
_UNREADABLE = "numRecordsInErrors"
#: Metric -> how what it counts is lost.
_LOSSES = {
    _UNREADABLE: "could not be read at {}, and {were} dropped",
    "numLateRecordsDropped": "came late at {}, and {were} dropped",
    "numRowsWithoutPartner": "found nothing at {}, and {were} dropped",
}


class Losses:
    """What operators have dropped in a job.

    Args:
        graph: The job's.
    """

    def __init__(self, graph: JobGraph) -> None:
        self._names = {str(uid): op.name for op in graph.operators for uid in (op.uid, op.state_uid) if uid is not None}
        self._counts: Counter[tuple[str, str]] = Counter()
        with_side_outputs = (op for op in graph.of_kind(Source) if op.source.produced.side_tags)
        self._kept = {(str(uid), _UNREADABLE) for op in with_side_outputs for uid in (op.uid, op.state_uid)}

    def add(self, summary: EpochSummary) -> None:
        """Add those of an epoch."""
        for name, value in summary.user_metrics.items():
            if isinstance(name, MetricName) and name.name in _LOSSES and isinstance(value, CounterValue):
                self._counts[name.uid, name.name] += value.count if (name.uid, name.name) not in self._kept else 0

    def found(self) -> Iterator[tuple[str, int, str]]:
        """Operator, number of records and what has become of them, for each operator that has dropped some."""
        for (uid, metric), count in self._counts.items():
            if count:
                operator = self._names.get(uid, uid)
                told = _LOSSES[metric].format(operator, were="was" if count == 1 else "were")
                yield operator, count, f"{_number(count, 'record')} {told}"

    def lines(self) -> list[str]:
        """A warning for each operator that has dropped some."""
        return [f"warning: {told}" for _, _, told in self.found()]


class Tally:
    """Running totals of a job."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.epochs = self.records_in = self.records_out = self.warnings = self.restarts = 0
        self.restarting = False
        self.epoch: int | None = None
        self.watermark: int | None = None
        self._recent: deque[tuple[int, float]] = deque(maxlen=RECENT_EPOCHS)

    def add(self, summary: EpochSummary) -> None:
        self.restarting = False
        self.epochs += 1
        self.epoch = summary.epoch
        self.records_in += summary.records_in
        self.records_out += summary.records_out
        self.warnings += len(summary.warnings)
        if summary.watermark is not None:
            self.watermark = summary.watermark
        if summary.duration_ms is not None:
            self._recent.append((summary.records_in, summary.duration_ms))

    @property
    def rate(self) -> float | None:
        """Records read per second in the last epochs, or None before anything is known."""
        spent = sum(ms for _, ms in self._recent)
        return 1000 * sum(records for records, _ in self._recent) / spent if spent > 0 else None

    def line(self) -> str:
        """The state of a running job."""
        if self.restarting:
            return f"restarting ({_number(self.restarts, 'restart')} so far)"
        if self.epoch is None:
            return "starting"
        parts = [f"epoch {self.epoch:,}", f"{self.records_in:,} in", f"{self.records_out:,} out"]
        if self.rate is not None:
            parts.append(f"{self.rate:,.0f} records/s")
        if self.watermark is not None:
            parts.append(f"watermark {instant(self.watermark)}")
        if self.warnings:
            parts.append(_number(self.warnings, "warning"))
        if self.restarts:
            parts.append(_number(self.restarts, "restart"))
        return "  ".join(parts)

    def summary(self, status: str) -> str:
        """The state of a job that has ended."""
        seconds = time.monotonic() - self.started
        return (
            f"{status}: {self.records_in:,} records in, {self.records_out:,} out, "
            f"{self.epochs:,} epoch{'' if self.epochs == 1 else 's'}, {seconds:.1f} s, "
            f"{self.records_in / max(seconds, 1e-9):,.0f} records/s"
            f"{', ' + _number(self.warnings, 'warning') if self.warnings else ''}"
            f"{', ' + _number(self.restarts, 'restart') if self.restarts else ''}"
        )


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def instant(ms: int) -> str:
    """An event time for people, in UTC."""
    if ms > MAX_WATERMARK_MS:
        return "end"
    if ms < 0:
        return "none yet"
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


class Terminal:
    """The lines of the jobs that run, which change if stderr is a terminal; and a summary of each at its end."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._running: list[Progress] = []
        self._line: Status | None = None

    def begin(self, job: Progress) -> None:
        """A job starts. While several run, each is named."""
        with self._lock:
            self._running.append(job)
            if len(self._running) > 1:
                for each in self._running:
                    each.named = True
            self.show()

    def end(self, job: Progress, summary: str | None, losses: Sequence[str] = ()) -> None:
        """A job has ended; a second call for it does nothing.

        Args:
            job: The job.
            summary: What is said of it; None: nothing.
            losses: Warnings of what it has dropped.
        """
        with self._lock:
            if job not in self._running:
                return
            self._running.remove(job)
            with self.aside():
                for line in (*losses, *([] if summary is None else [summary])):
                    # Not click.echo: it would write past a live table of the script's that stands on the terminal.
                    print(line, file=sys.stderr)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Within the block, other words can be written where the lines stand."""
        with self._lock:
            self.hide()
            try:
                yield
            finally:
                self.show()

    def show(self) -> None:
        """Show the lines as they are now."""
        with self._lock:
            lines = self.text
            if not lines or not sys.stderr.isatty():
                self.hide()
                return
            from rich.console import Console
            from rich.text import Text

            if self._line is None:
                self._line = Console(stderr=True).status(Text(lines), spinner="dots")
                self._line.start()
            else:
                self._line.update(Text(lines))

    @property
    def text(self) -> str:
        """The lines as they are now."""
        with self._lock:
            return "\n".join(line for job in self._running if (line := job.line))

    def hide(self) -> None:
        """Take the lines away until they are shown again."""
        if self._line is not None:
            self._line.stop()
            self._line = None


class Progress:
    """The line of a job that changes while it runs, and the summary at its end.

    A job whose sinks show their records on the same terminal (print, a live table) gets the line while Spark
    starts, and the summary.

    Args:
        terminal: Where it is shown.

    Attributes:
        named: Other jobs have run at the same time: the job's name stands before what is told of it.
    """

    def __init__(self, terminal: Terminal | None = None) -> None:
        self._terminal = terminal or Terminal()
        self._tally = Tally()
        self._losses: Losses | None = None
        self._name = ""
        self._only_start = self._bounded = self._grows = False
        self.named = False

    @property
    def line(self) -> str | None:
        """What is shown while it runs; None: nothing."""
        if self._only_start and self._tally.epochs:
            return None
        return self._prefix + self._tally.line()

    def on_start(self, graph: JobGraph) -> None:
        self._tally, self._losses, self._name = Tally(), Losses(graph), graph.name
        self._only_start = sys.stdout.isatty() and shows_records(graph)
        self._bounded = all(op.source.bounded for op in graph.of_kind(Source))
        self._grows = any(op.source.grows for op in graph.of_kind(Source))
        self._terminal.begin(self)

    def on_epoch(self, summary: EpochSummary) -> None:
        self._tally.add(summary)
        if self._losses is not None:
            self._losses.add(summary)
        self._terminal.show()

    def on_restart(self, restart: Restart) -> None:
        self._tally.restarts, self._tally.restarting = restart.number, True
        self._terminal.show()

    def on_end(self, status: str, error: BaseException | None) -> None:
        if error is None and status == "FINISHED" and self._tally.epochs == 0:  # one without data has its last epoch
            finished = NOTHING_NEW if self._grows else ENDED_ALREADY
            self._terminal.end(self, self._prefix + (finished if self._bounded else ENDED_EARLY))
        else:
            self.close(None if error is not None else status.lower())

    def close(self, status: str | None) -> None:
        """End the line. With a status, write the summary. A second call does nothing."""
        losses = [] if self._losses is None else [self._prefix + line for line in self._losses.lines()]
        self._terminal.end(self, None if status is None else self._prefix + self._tally.summary(status), losses)

    @property
    def _prefix(self) -> str:
        return f"{self._name}: " if self.named else ""


class LossWarnings:
    """What a job has dropped, at its end, where nothing else is told of it."""

    def on_start(self, graph: JobGraph) -> None:
        self._losses = Losses(graph)

    def on_epoch(self, summary: EpochSummary) -> None:
        self._losses.add(summary)

    def on_restart(self, restart: Restart) -> None:
        pass

    def on_end(self, status: str, error: BaseException | None) -> None:
        for line in self._losses.lines():
            print(line, file=sys.stderr)


class JsonEpochs:
    """One JSON line for the start, each epoch and the end of a job, and for each operator that has dropped records."""

    def __init__(self) -> None:
        import structlog

        self._log = structlog.get_logger("datastream")

    def on_start(self, graph: JobGraph) -> None:
        self._log, self._losses = self._log.bind(job=graph.name), Losses(graph)
        self._log.info("start", operators=len(graph.operators), parallelism=graph.parallelism)

    def on_epoch(self, summary: EpochSummary) -> None:
        self._losses.add(summary)
        fields = asdict(replace(summary, warnings=(), measures={}, commit_ns={}))
        for one in ("warnings", "measures", "commit_ns"):  # logged by themselves, or shown as metrics
            del fields[one]
        self._log.info("epoch", **fields)

    def on_restart(self, restart: Restart) -> None:
        self._log.warning(
            "restart",
            restarts=restart.number,
            counted=restart.counted,
            delay_ms=round(restart.delay_s * 1000),
            type=type(restart.error).__name__,
            error=str(restart.error),
        )

    def on_end(self, status: str, error: BaseException | None) -> None:
        for operator, records, told in self._losses.found():
            self._log.warning("dropped", operator=operator, records=records, text=told)
        self._log.info("end", status=status)


def shows_records(graph: JobGraph) -> bool:
    """Whether a sink of the job hands records to the driver, as print and live tables do."""
    return any(isinstance(op.sink, CollectingSink) for op in graph.of_kind(Sink))
