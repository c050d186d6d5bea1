"""A job that runs epoch by epoch, as its test says, by a clock that the test moves."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from datastream.api.environment import StreamExecutionEnvironment, graph_of
from datastream.api.job_client import handle_of
from datastream.config.settings import EpochSummary, Restart, settings
from datastream.connectors.collect_sink import CollectSink
from datastream.errors import ValidationError
from datastream.graph import Plan
from datastream.job.handle import JobHandle
from datastream.runtime.savepoints.entries import SavepointEntries
from datastream.runtime.savepoints.manifest import folder_of, read_manifest
from datastream.runtime.state_view import StateReader

from .collecting import attach
from .fed_stream import TestStream, read_number, write_number

_LOOK_S = 0.002


class FileClock:
    """Processing time that is in a file, as the job's processes may be others."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __call__(self) -> int:
        return read_number(self._path)

    def set(self, time_ms: int) -> None:
        write_number(self._path, time_ms)


class SteppedJob:
    """A running job of the streams that `build` makes. End it with `close`, or use it as a context manager.

    Args:
        build: Takes a stream for each of `inputs`, returns a stream or a tuple of streams: those that are looked at.
        inputs: What the test feeds.
        executor: ``local`` or ``spark``.
        environment: Makes an environment of a parallelism.
        parallelism: The default parallelism of the job.
        from_savepoint: The savepoint to take state over from, by the uids of operators; None: the job begins anew.

    Raises:
        ValidationError: There is no input, or two have one uid, or no operator of the job is in the savepoint.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        inputs: tuple[TestStream, ...],
        executor: str,
        environment: Callable[[int], StreamExecutionEnvironment],
        parallelism: int,
        from_savepoint: str | os.PathLike[str] | None = None,
    ) -> None:
        if not inputs:
            raise ValidationError("a job that is stepped needs a TestStream")
        if len({stream.uid for stream in inputs}) < len(inputs):
            raise ValidationError("each TestStream needs a uid of its own: TestStream(uid=...)")
        self._build, self._inputs, self._executor = build, inputs, executor
        self._environment, self._parallelism = environment, parallelism
        self._folder = Path(tempfile.mkdtemp(prefix="datastream-stepped-"))
        self._clock = FileClock(str(self._folder / "clock"))
        self._clock.set(0)
        self._starts = 0
        self._start(from_savepoint, of_another=True)

    def run_epoch(self) -> Any:
        """Give the job what was added to its inputs, and let it work until nothing is left to do.

        Fires what is due by the watermarks and by processing time.

        Returns:
            The records that came out: a list for one stream, a tuple of lists for several. Those of several subtasks
            come in any order.

        Raises:
            DataStreamError: The job failed.
        """
        wanted = {stream.uid: stream.release() for stream in self._inputs}
        self._await(lambda: all(self._read.counts.get(uid, 0) >= n - self._before[uid] for uid, n in wanted.items()))
        self._await(lambda: self._handle.idle)
        found = [sink.take() for sink in self._sinks]
        return tuple(found) if self._several else found[0]

    def advance_processing_time(self, ms: int) -> None:
        """Move processing time on. It begins at 0. What is due fires with the next epoch."""
        self._clock.set(self._clock() + ms)

    def restart(self, parallelism: int | None = None) -> None:
        """Take a savepoint, end the job, and start it again from there.

        Args:
            parallelism: From now on. Default: as before.
        """
        savepoint = self._savepoint()
        self._end()
        self._parallelism = parallelism or self._parallelism
        self._start(savepoint)

    def state(self, operator: str, key: Any) -> dict[str, Any]:
        """What an operator keeps for a key: the name of a state -> its value; a list or a map is one.

        Args:
            operator: Its uid.
            key: The key.

        Raises:
            ValidationError: The job has no such operator, or it keeps no state.
        """
        folder = self._savepoint()
        manifest = read_manifest(folder)
        reader = StateReader(SavepointEntries(folder, manifest), manifest.operators)
        found = {row.state: row.value for row in reader.rows(operator, key=lambda one: one == key)}
        shutil.rmtree(folder)
        return found

    def close(self) -> None:
        """End the job."""
        self._end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> SteppedJob:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- the job -----------------------------------------------------------------------------------------

    def _start(self, savepoint: str | os.PathLike[str] | None, of_another: bool = False) -> None:
        """Start the job.

        Args:
            savepoint: What it takes over; None: nothing.
            of_another: The savepoint is another job's: with other sources and sinks, at least.
        """
        self._starts += 1
        self._takes_over = savepoint is not None
        env = self._environment(self._parallelism)
        built = self._build(*(stream.on(env) for stream in self._inputs))
        self._several = isinstance(built, tuple)
        self._sinks: list[CollectSink] = attach(built if self._several else (built,))
        self._read = _Read()
        began = savepoint is None or of_another
        self._before = {stream.uid: 0 if began else stream.released for stream in self._inputs}
        checkpoint = str(self._folder / f"checkpoint-{self._starts}") if self._executor == "spark" else None
        if savepoint is not None and of_another:
            _check(savepoint, Plan.of(graph_of(env, "stepped", preview=True)))
        options = {
            "clock": self._clock,
            "checkpoint_dir": checkpoint,
            "from_savepoint": None if savepoint is None else os.fspath(savepoint),
            "allow_non_restored_state": of_another,
        }
        given = settings()
        before = given.executor, given.listeners, given.on_options
        given.executor, given.listeners = self._executor, [*given.listeners, self._read]
        given.on_options = lambda _, others: replace(others, **options)
        try:
            handle = handle_of(env.execute_async("stepped"))
        finally:
            given.executor, given.listeners, given.on_options = before
        assert isinstance(handle, JobHandle)  # of this process
        self._handle = handle

    def _await(self, holds: Callable[[], bool]) -> None:
        while not holds():
            if self._handle.future.done():
                self._handle.future.result()  # raises, if the job has failed
                raise ValidationError("the job has ended")
            time.sleep(_LOOK_S)

    def _savepoint(self) -> Path:
        if not self._takes_over and self._handle.last_epoch < 0:
            self.run_epoch()
        else:  # the epoch that takes a savepoint over is there, and done, soon
            self._await(lambda: self._handle.last_epoch >= 0 and self._handle.idle)
        path = Path(tempfile.mkdtemp(prefix="savepoint-", dir=self._folder)) / "taken"
        self._handle.savepoint(str(path))
        return path

    def _end(self) -> None:
        self._handle.cancel()
        self._handle.future.exception()


def _check(savepoint: str | os.PathLike[str], plan: Plan) -> None:
    """Some operator of the job must be in a savepoint that it is to take over."""
    stateful = {op.state_uid for op in plan.operators.values() if op.stateful}
    saved = read_manifest(folder_of(savepoint)).operators
    if not stateful & saved.keys():
        raise ValidationError(
            f"no operator of the job has state in the savepoint {os.fspath(savepoint)}: it has {sorted(saved)}, and "
            f"the job {sorted(stateful)}; give the operators the uids that they have there"
        )


class _Read:
    """Counts what the inputs gave: a `JobListener`."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def on_start(self, graph: Any) -> None: ...

    def on_restart(self, restart: Restart) -> None: ...

    def on_end(self, status: str, error: BaseException | None) -> None: ...

    def on_epoch(self, summary: EpochSummary) -> None:
        for uid, (records_in, _) in summary.operators.items():
            self.counts[uid] = self.counts.get(uid, 0) + records_in
