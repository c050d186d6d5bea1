"""A source or a sink, driven as the engine does, with a crash before and after every call of the contract.

    def test_my_source(tmp_path):
        check_source(lambda world: MySource(fill(world)), tmp_path, expected=range(100))

Each trial has a world of its own: a new folder, which the given function fills and returns the connector for. Settings
and splits go through pickle, offsets through JSON. A crash takes away

- ``job``: all processes; the job starts again from its last logged offsets,
- ``worker``: the worker alone; the task runs again in another one,
- ``task``: nothing but the task, by an error: what it used is aborted and closed.
"""

from __future__ import annotations

import gc
import json
import logging
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from datastream.io import (
    Batch,
    Committer,
    CommitterContext,
    EnumeratorContext,
    ReaderContext,
    Sink,
    SinkWriter,
    Source,
    SourceReader,
    SplitEnumerator,
    Spool,
    WriterContext,
)
from datastream.metrics import MetricRegistry

#: Beside-the-driver parts fall with the job only.
SCOPES = ("job", "worker", "task")

_LOGGER = logging.getLogger("datastream.testing")
_QUIET = 3
_MOST_EPOCHS = 1000


class Crash(BaseException):
    """The simulated one: no handler of errors sees it."""


@dataclass
class Calls:
    """Counts calls, and crashes at one of them.

    Attributes:
        at: Number of the call, from 1; 0: none.
        after: Crash behind the call, not before it.
        trace: What was called, for messages.
        crashed: It has.
    """

    at: int = 0
    after: bool = False
    trace: list[str] = field(default_factory=list)
    crashed: bool = False

    def call(self, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a call."""
        self.trace.append(name)
        here = len(self.trace) == self.at and not self.crashed
        if here and not self.after:
            self.crashed = True
            raise Crash
        result = call(*arguments)
        if here:
            self.crashed = True
            raise Crash
        return result


def check_source(
    make: Callable[[Path], Source],
    folder: Path,
    expected: Iterable[Any],
    *,
    budget: int = 3,
    parallelism: int = 2,
    twice: Callable[[Any], bool] = lambda record: False,
) -> int:
    """Read a source to its end once for each call that may crash, and compare what came out.

    A source without end is read until three epochs in a row bring nothing.

    Args:
        make: Fills a new folder with data, and returns the source of it.
        folder: Where the worlds are.
        expected: All records, in any order.
        budget: Records an epoch should hold; see `SplitEnumerator.latest_offset`.
        parallelism: Tasks of an epoch.
        twice: Whether a record may come more than once.

    Returns:
        How many crashes there were.

    Raises:
        AssertionError: records are lost, doubled or changed, or a replay differs from what was given before.
    """
    wanted = Counter(map(repr, expected))

    def trial(world: Path, calls: Calls, scope: str) -> None:
        run = _SourceRun(pickle.dumps(make(world)), world / "spool", calls, scope, budget, parallelism)
        found = Counter(map(repr, run.records()))
        extra = found - wanted
        allowed = all(text in wanted and twice(text) for text in extra)
        assert not wanted - found and (not extra or allowed), (
            f"lost {dict(wanted - found)}, too many {dict(extra)} with a crash of the {scope} "
            f"{'after' if calls.after else 'before'} call {calls.at} of {calls.trace}"
        )

    return _trials(folder, trial)


def check_sink(
    make: Callable[[Path], Sink],
    folder: Path,
    written: Callable[[Path], Iterable[Any]],
    epochs: Sequence[Sequence[Sequence[Any]]],
    *,
    exactly_once: bool = True,
) -> int:
    """Write epochs to a sink once for each call that may crash, and compare what is there at the end.

    Args:
        make: Prepares a new folder, and returns the sink that writes to it.
        folder: Where the worlds are.
        written: What readers find in a world, in any order.
        epochs: For each epoch and subtask the records; a batch each.
        exactly_once: Whether records may not be there twice.

    Returns:
        How many crashes there were.

    Raises:
        AssertionError: records are lost or, if `exactly_once`, doubled.
    """
    wanted = Counter(repr(record) for epoch in epochs for records in epoch for record in records)

    def trial(world: Path, calls: Calls, scope: str) -> None:
        _SinkRun(pickle.dumps(make(world)), world / "spool", calls, scope).write(epochs)
        found = Counter(map(repr, written(world)))
        extra = found - wanted
        allowed = not exactly_once and all(text in wanted for text in extra)
        assert not wanted - found and (not extra or allowed), (
            f"lost {dict(wanted - found)}, too many {dict(extra)} with a crash of the {scope} "
            f"{'after' if calls.after else 'before'} call {calls.at} of {calls.trace}"
        )

    return _trials(folder, trial)


def _trials(folder: Path, trial: Callable[[Path, Calls, str], None]) -> int:
    crashes = 0
    gc.collect()
    gc.freeze()  # so that to collect what a crash leaves behind, as a system does for a killed process, is quick
    try:
        for scope in SCOPES:
            crashes += _of_scope(folder, trial, scope)
    finally:
        gc.unfreeze()
    return crashes


def _of_scope(folder: Path, trial: Callable[[Path, Calls, str], None], scope: str) -> int:
    crashes = 0
    for after in (False, True):
        at, crashed = 0, True
        while crashed:
            world = folder / f"{scope}-{'after' if after else 'before'}-{at}"
            world.mkdir(parents=True)
            calls = Calls(at, after)
            trial(world, calls, scope)
            crashed = at == 0 or calls.crashed
            crashes += calls.crashed
            at += 1
    return crashes


class _Run:
    def __init__(self, settings: bytes, spool: Path, calls: Calls, scope: str) -> None:
        self._settings = settings
        self._spool = Spool(str(spool), "uid")
        self._calls = calls
        self._scope = scope
        self._attempts = 0

    def _task(self, run: Callable[[int], Any], lose: Callable[[bool], None]) -> Any:
        """A task's result; after a crash of its worker or an error it runs again.

        Args:
            run: Takes the number of the attempt.
            lose: Lets go of what the worker kept; argument: an orderly end.
        """
        while True:
            self._attempts += 1
            try:
                return run(self._attempts)
            except Crash:
                if self._scope == "job":
                    raise
            lose(self._scope == "task")
            gc.collect()

    def _copy(self) -> Any:
        return pickle.loads(self._settings)


class _SourceRun(_Run):
    def __init__(self, settings: bytes, spool: Path, calls: Calls, scope: str, budget: int, parallelism: int) -> None:
        super().__init__(settings, spool, calls, scope)
        self._budget, self._parallelism = budget, parallelism
        self._offsets: list[str] = []
        self._committed = 0
        self._given: dict[int, dict[int, list[str]]] = {}
        self._records: list[Any] = []
        self._reader: SourceReader | None = None

    def records(self) -> list[Any]:
        ended = False
        while not ended:
            with suppress(Crash):
                self._run()
                ended = True
            self._reader = None
            gc.collect()
        return self._records

    def _run(self) -> None:
        source: Source = self._copy()
        context = EnumeratorContext("job", "uid", self._parallelism, _LOGGER, self._spool)
        call = self._calls.call
        enumerator: SplitEnumerator = call("create_enumerator", source.create_enumerator, context)
        if not self._offsets:
            self._offsets.append(json.dumps(call("initial_offset", enumerator.initial_offset)))
        quiet = 0
        while quiet < _QUIET and len(self._offsets) < _MOST_EPOCHS:
            start = json.loads(self._offsets[self._committed])
            if self._committed == len(self._offsets) - 1:
                if self._committed:
                    call("commit", enumerator.commit, start)
                if call("finished", enumerator.finished, start):
                    break
                end = json.dumps(call("latest_offset", enumerator.latest_offset, start, self._budget))
                if json.loads(end) == start:
                    quiet += 1
                    continue
                self._offsets.append(end)
            end = json.loads(self._offsets[self._committed + 1])
            given = self._epoch(enumerator, start, end)
            quiet = 0 if given else quiet + 1
            self._records += given
            self._committed += 1
        call("close enumerator", enumerator.close)
        if self._reader is not None:
            call("close reader", self._reader.close)

    def _epoch(self, enumerator: SplitEnumerator, start: Any, end: Any) -> list[Any]:
        found = self._calls.call("splits", enumerator.splits, start, end, self._parallelism)
        splits = pickle.loads(pickle.dumps(list(found)))
        given = []
        for number, split in enumerate(splits):
            given += self._task(partial(self._read, number, split), self._lose)
        return given

    def _read(self, number: int, split: Any, attempt: int) -> list[Any]:
        call = self._calls.call
        if self._reader is None:
            metrics = MetricRegistry("job", "source", "uid", number).group
            context = ReaderContext("job", "uid", self._parallelism, True, metrics, _LOGGER, self._spool)
            self._reader = call("create_reader", self._copy().create_reader, context)
        reader = self._reader
        assert reader is not None
        call("begin", reader.begin, self._committed, attempt)
        batches: Iterator[Batch] = iter(call("read", reader.read, split))
        before = self._given.setdefault(self._committed, {}).get(number, [])
        given: list[Any] = []
        texts: list[str] = []
        while (batch := call("next batch", next, batches, None)) is not None:
            assert batch.timestamps is None or len(batch.timestamps) == len(batch.records)
            given += batch.records
            texts += map(repr, batch.records)
            shared = min(len(before), len(texts))
            assert texts[:shared] == before[:shared], f"a replay gives {texts}, where {before} was given before"
            if len(texts) > len(before):
                self._given[self._committed][number] = list(texts)
        assert len(texts) >= len(before), f"a replay gives {texts}, where {before} was given before"
        call("idle", reader.idle)
        return given

    def _lose(self, orderly: bool) -> None:
        reader, self._reader = self._reader, None
        if orderly and reader is not None:
            reader.close()


class _SinkRun(_Run):
    def __init__(self, settings: bytes, spool: Path, calls: Calls, scope: str) -> None:
        super().__init__(settings, spool, calls, scope)
        self._committed = 0
        self._writers: dict[int, SinkWriter] = {}

    def write(self, epochs: Sequence[Sequence[Sequence[Any]]]) -> None:
        while self._committed < len(epochs):
            with suppress(Crash):
                self._run(epochs)
            self._writers = {}
            gc.collect()

    def _run(self, epochs: Sequence[Sequence[Sequence[Any]]]) -> None:
        call = self._calls.call
        sink: Sink = self._copy()
        context = CommitterContext("job", "uid", len(epochs[0]), _LOGGER, self._spool)
        committer: Committer | None = call("create_committer", sink.create_committer, context)
        while self._committed < len(epochs):
            number = self._committed
            made = []
            for subtask, records in enumerate(epochs[number]):
                if records:
                    made.append(
                        self._task(
                            partial(self._write, subtask, records, len(epochs[0])),
                            partial(self._lose, subtask),
                        )
                    )
            values = [value for value in map(pickle.loads, made) if value is not None]
            if committer is not None:
                final = number == len(epochs) - 1
                call("commit", committer.commit, number, values, final)
            self._committed += 1
        for writer in self._writers.values():
            call("close writer", writer.close)
        if committer is not None:
            call("close committer", committer.close)

    def _write(self, subtask: int, records: Sequence[Any], parallelism: int, attempt: int) -> bytes:
        call = self._calls.call
        writer = self._writers.get(subtask)
        if writer is None:
            metrics = MetricRegistry("job", "sink", "uid", subtask).group
            context = WriterContext("job", "uid", subtask, parallelism, metrics, _LOGGER, self._spool)
            writer = self._writers[subtask] = call("create_writer", self._copy().create_writer, context)
        assert writer is not None
        call("begin", writer.begin, self._committed, attempt)
        for record in records:
            call("write", writer.write, Batch([record]))
        return pickle.dumps(call("prepare_commit", writer.prepare_commit))

    def _lose(self, subtask: int, orderly: bool) -> None:
        writer = self._writers.pop(subtask, None)
        if orderly and writer is not None:
            writer.abort()
            writer.close()
