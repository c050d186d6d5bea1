"""Jobs that stop in the middle and go on from a savepoint."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from datastream import Configuration, DataStream, StreamExecutionEnvironment, WatermarkStrategy
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors import NumberSequenceSource
from datastream.testing.collecting import attach, records
from tests.support.waiting import wait_until

#: Makes a job of a stream of numbers.
Build = Callable[[StreamExecutionEnvironment, DataStream], DataStream]

EPOCH = 500
END = 4 * EPOCH


class StopAfter:
    """Cancels a job after some epochs with records."""

    def __init__(self, epochs: int, before: Callable[[], object]) -> None:
        self._before = before
        self.left = epochs or -1
        self.started = threading.Event()
        self.handle: Any = None
        self.epochs: list[int] = []

    def on_start(self, graph: Any) -> None:
        pass

    def on_epoch(self, summary: Any) -> None:
        self.epochs.append(summary.epoch)
        if summary.records_in:
            self.left -= 1
        if self.left == 0:
            self.started.wait()
            self._before()
            self.handle._cancelled.set()

    def on_end(self, status: str, error: BaseException | None) -> None:
        pass


class Part:
    """A job that was run, to its end or to the middle.

    Attributes:
        results: What it gave.
        epochs: Numbers of its epochs.
        handle: The job.
    """

    def __init__(
        self,
        build: Build,
        *,
        epochs: int = 0,
        executor: str = "local",
        parallelism: int = 2,
        savepoint: Path | None = None,
        checkpoint: Path | None = None,
        more: dict[str, str] | None = None,
        end: int = END,
        before_stop: Callable[[], object] = lambda: None,
    ) -> None:
        configuration = Configuration.from_dict(
            {"datastream.epoch.max-records": str(EPOCH), "parallelism.default": str(parallelism), **(more or {})}
        )
        if savepoint is not None:
            configuration.set_string("execution.state-recovery.path", str(savepoint))
        if checkpoint is not None:
            configuration.set_string("execution.checkpointing.dir", str(checkpoint))
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        source = NumberSequenceSource(1, end)
        numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        sinks = attach([build(env, numbers)])
        commits = None if checkpoint is None else checkpoint / "commits"
        earlier = len(_numbers(commits))

        def once_committed() -> None:  # an epoch is reported a moment before Spark notes its commit
            if commits is not None:
                wait_until(lambda: len(_numbers(commits)) >= earlier + len(stop.epochs), "commit")
            before_stop()

        stop = StopAfter(epochs, once_committed)
        given = settings()
        known = given.executor, given.listeners
        given.executor, given.listeners = executor, [stop]
        try:
            client = env.execute_async("numbers")
            stop.handle = self.handle = handle_of(client)
            stop.started.set()
            self.handle.future.result()
        finally:
            given.executor, given.listeners = known
        self.results: list[Any] = records(sinks)[0]
        self.epochs = stop.epochs


def _numbers(commits: Path | None) -> list[Path]:
    return [] if commits is None else [path for path in commits.glob("*") if path.name.isdecimal()]
