"""Semantic tests: a function builds a small graph and asserts on what comes out, on every executor.

    @case
    def test_map(env):
        got = yield env.from_collection([1, 2]).map(str)
        assert got == ["1", "2"]

The function yields one stream, or a tuple of streams, and gets back one list of records for each. A Spark query
costs seconds however small it is, so all cases of a session that agree on their options run as ONE job on Spark;
each test then asserts on its own records. If that job fails, every case runs by itself and the culprit is named.
A case that sets up the environment or calls ``execute`` is marked ``alone=True``. Tests of errors and clients
take the fixture ``run`` themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

from datastream import DataStream, DataStreamError, RuntimeExecutionMode, StreamExecutionEnvironment
from datastream.connectors.collect_sink import CollectSink

#: What a case becomes once its job has run: the rest of its function, and the records to go on with.
Outcome = tuple[Generator[Any, Any, None], Any]


@dataclass(frozen=True)
class Case:
    """A test that can share a job with others.

    Attributes:
        build: env -> generator that yields streams and is sent their records.
        parallelism: The job's default parallelism.
        batch: Batch mode instead of streaming mode.
        alone: Never share a job.
    """

    build: Callable[[StreamExecutionEnvironment], Generator[Any, Any, None]]
    parallelism: int = 2
    batch: bool = False
    alone: bool = False

    def shares_with(self, other: Case) -> bool:
        mine, theirs = (self.parallelism, self.batch), (other.parallelism, other.batch)
        return mine == theirs and not self.alone and not other.alone


def case(build: Any = None, **options: Any) -> Any:
    """Make a test of a function that builds streams; ``options`` are the fields of `Case`."""
    if build is None:
        return partial(case, **options)
    this = Case(build, **options)

    def test(run: Runner) -> None:
        run.check(this)

    test.__name__, test.__module__, test.__doc__ = build.__name__, build.__module__, build.__doc__
    test.case = this  # type: ignore[attr-defined]
    return test


class Runner:
    """Runs cases on one executor, and remembers what shared jobs gave.

    Args:
        executor: ``local`` or ``spark``.
        selected: The cases of this session.
    """

    def __init__(self, executor: str, selected: list[Case]) -> None:
        self.executor = executor
        self._selected = selected
        self._outcomes: dict[Case, Outcome] = {}
        self._unshared: set[Case] = set()

    def environment(self, parallelism: int = 2, batch: bool = False) -> StreamExecutionEnvironment:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        return env.set_runtime_mode(RuntimeExecutionMode.BATCH if batch else RuntimeExecutionMode.STREAMING)

    def check(self, case: Case) -> None:
        """Run a case, with its like if it may, and let it assert."""
        if case not in self._outcomes and case not in self._unshared and self.executor == "spark":
            self._share([c for c in self._selected if c.shares_with(case)])
        if case not in self._outcomes:
            self._outcomes.update(self._execute([case]))
        rest, records = self._outcomes.pop(case)
        try:
            rest.send(records)
        except StopIteration:
            return
        raise AssertionError("a case yields once")

    def _share(self, cases: list[Case]) -> None:
        self._unshared.update(cases)  # whether it succeeds or not: try once
        try:
            self._outcomes.update(self._execute(cases) if len(cases) > 1 else {})
        except DataStreamError as error:
            print(f"the shared job of {len(cases)} cases failed, so each runs alone: {error}")

    def _execute(self, cases: list[Case]) -> dict[Case, Outcome]:
        env = self.environment(cases[0].parallelism, cases[0].batch)
        begun = []
        for case in cases:
            rest = case.build(env)
            streams = next(rest)
            sinks = [(stream, CollectSink()) for stream in _tuple(streams)]
            for stream, sink in sinks:
                stream.sink_to(sink).set_parallelism(stream.get_parallelism())
            begun.append((case, rest, isinstance(streams, tuple), [sink for _, sink in sinks]))
        env.execute(", ".join(case.build.__name__ for case in cases)[:200])
        return {case: (rest, _records(sinks, several)) for case, rest, several, sinks in begun}

    def collect(self, *streams: DataStream) -> Any:
        """Run the streams' job now: a list for one stream, a tuple of lists for several."""
        sinks = [CollectSink() for _ in streams]
        for stream, sink in zip(streams, sinks, strict=True):
            stream.sink_to(sink).set_parallelism(stream.get_parallelism())
        streams[0].get_execution_environment().execute("collect")
        return _records(sinks, len(streams) > 1)


def _tuple(streams: Any) -> tuple[DataStream, ...]:
    return streams if isinstance(streams, tuple) else (streams,)


def _records(sinks: list[CollectSink], several: bool) -> Any:
    for sink in sinks:
        sink.close()
    lists = [list(sink) for sink in sinks]
    return tuple(lists) if several else lists[0]
