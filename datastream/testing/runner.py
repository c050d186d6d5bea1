"""Runs tests on one executor: what the fixture ``run`` returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.api.environment import StreamExecutionEnvironment
from datastream.config.modes import RuntimeExecutionMode
from datastream.errors import cut
from datastream.testing.cases import Case
from datastream.testing.collecting import attach, collect, records
from datastream.testing.fed_stream import TestStream
from datastream.testing.stepped_job import SteppedJob

#: What a case becomes once its job has run: the rest of its function, and the records to go on with.
Outcome = tuple[Generator[Any, Any, None], Any]


class Runner:
    """Starts the jobs of tests on one executor, and keeps what shared jobs gave.

    Attributes:
        executor: ``local`` or ``spark``.
    """

    def __init__(self, executor: str, groups: Mapping[Case, str]) -> None:
        """
        Args:
            executor: ``local`` or ``spark``.
            groups: The cases of this test run that share a job -> the job's name.
        """
        self.executor = executor
        self._groups = groups
        self._outcomes: dict[Case, Outcome] = {}
        self._tried: set[str] = set()
        self._started: list[SteppedJob] = []

    def environment(self, parallelism: int = 2, batch: bool = False) -> StreamExecutionEnvironment:
        """A new environment.

        Args:
            parallelism: Its default parallelism.
            batch: Batch mode instead of streaming mode.
        """
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        return env.set_runtime_mode(RuntimeExecutionMode.BATCH if batch else RuntimeExecutionMode.STREAMING)

    def collect(self, *streams: DataStream) -> Any:
        """Run the job of some streams; see `datastream.testing.collect`."""
        return collect(*streams)

    def start(
        self,
        build: Callable[..., Any],
        *inputs: TestStream,
        parallelism: int = 2,
        from_savepoint: str | os.PathLike[str] | None = None,
    ) -> SteppedJob:
        """Start a job that runs epoch by epoch. It ends with the test.

        Args:
            build: Takes a stream for each of `inputs`, returns a stream or a tuple of streams, which are looked at.
            inputs: What the test feeds.
            parallelism: The default parallelism of the job.
            from_savepoint: A savepoint to begin with, such as one of the job in production. Operators find their state
                in it by their uids; what it has of others is dropped.
        """
        job = SteppedJob(build, inputs, self.executor, self.environment, parallelism, from_savepoint)
        self._started.append(job)
        return job

    def close(self) -> None:
        """End what was started."""
        while self._started:
            self._started.pop().close()

    def prepare(self, case: Case) -> None:
        """Run the job that a case shares with others, unless it has been: what it takes is not one test's."""
        group = self._groups.get(case)
        if self.executor == "spark" and group is not None and group not in self._tried:
            self._tried.add(group)  # whether it succeeds or not: try once
            self._share([other for other, name in self._groups.items() if name == group])

    def check(self, case: Case) -> None:
        """Run a case, unless it has been prepared, and let it assert."""
        self.prepare(case)
        if case not in self._outcomes:
            self._outcomes.update(self._execute([case]))
        rest, got = self._outcomes.pop(case)
        try:
            rest.send(got)
        except StopIteration:
            return
        raise AssertionError(f"a case yields once, a tuple for several streams: {case}")

    def _share(self, cases: list[Case]) -> None:
        if len(cases) < 2:
            return
        try:
            self._outcomes.update(self._execute(cases))
        except Exception as error:  # of any case; each raises its own when it runs alone
            print(f"the shared job of {len(cases)} cases failed, so each runs alone: {error}")

    def _execute(self, cases: list[Case]) -> dict[Case, Outcome]:
        env = self.environment(*cases[0].options)
        begun = []
        for case in cases:
            rest = case.build(env)
            streams, several = _streams(case, rest)
            begun.append((case, rest, several, attach(streams)))
        env.execute(", ".join(case.build.__name__ for case in cases)[:200])
        return {
            case: (rest, tuple(lists) if several else lists[0])
            for case, rest, several, sinks in begun
            for lists in [records(sinks)]
        }


def _streams(case: Case, rest: Generator[Any, Any, None]) -> tuple[tuple[DataStream, ...], bool]:
    """What a case yields, and whether it is a tuple."""
    try:
        found = next(rest)
    except StopIteration:
        raise TypeError(f"expected one stream or a tuple of them, but nothing was yielded by {case}") from None
    streams = found if isinstance(found, tuple) else (found,)
    if not streams or not all(isinstance(stream, DataStream) for stream in streams):
        raise TypeError(f"expected one stream or a tuple of them, got {type(found).__name__} {cut(found)} from {case}")
    return streams, isinstance(found, tuple)
