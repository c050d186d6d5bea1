"""A source or a sink, driven as the engine does: without a crash, then with one before and after every call.

    def test_my_source(tmp_path):
        check_source(lambda folder: MySource(fill(folder)), tmp_path, expected=range(100))

Each trial has a new folder, which the given function fills and returns the connector for. Settings, splits and
committables go through pickle as in a job, offsets through JSON. `datastream.testing.crashes` says what a crash is.
`datastream.testing.conformance` has suites of tests around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from datastream.io import Sink, Source

from .crashes import Calls, compare, run_trials
from .sink_trial import SinkTrial
from .source_trial import SourceTrial

__all__ = ["check_sink", "check_source"]


def check_source(
    make: Callable[[Path], Source],
    folder: Path,
    expected: Iterable[Any],
    *,
    budget: int = 3,
    parallelism: int = 2,
    twice: Callable[[Any], bool] = lambda record: False,
    at_once: int = 1,
) -> int:
    """Read a source to its end, once without a crash and once for each call that may crash; compare what came out.

    A source without end is read until three epochs in a row bring nothing. The calls of a `QueueConnection` may crash,
    too: `pull`, `held` and `acknowledge`.

    Args:
        make: Fills an empty folder with data, and returns the source of it.
        folder: Gets a folder ``trials-N``, with a folder for each trial.
        expected: All records, in any order.
        budget: Records an epoch should hold; see `SplitEnumerator.latest_offset`.
        parallelism: Tasks of an epoch.
        twice: Whether a record may come more than once.
        at_once: How many trials run at once, in threads, at most six: several, if the system makes a reader wait.

    Returns:
        How many crashes there were.

    Raises:
        AssertionError: Records are lost, doubled or changed, a split is not the same when it is read again, or the
            source raised. Names the method and the crash.
    """
    records = list(expected)
    wanted = Counter(map(repr, records))
    may_repeat = {repr(record) for record in records if twice(record)}

    def trial(world: Path, calls: Calls) -> None:
        found = SourceTrial(make(world), world, calls, budget, parallelism, wanted).records()
        compare(found, wanted, may_repeat.__contains__)

    return run_trials(folder, trial, at_once)


def check_sink(
    make: Callable[[Path], Sink],
    folder: Path,
    written: Callable[[Path], Iterable[Any]],
    epochs: Sequence[Sequence[Sequence[Any]]],
    *,
    exactly_once: bool = True,
) -> int:
    """Write epochs to a sink, once without a crash and once for each call that may crash; compare what is there.

    Args:
        make: Prepares an empty folder, and returns the sink that writes to it.
        folder: Gets a folder ``trials-N``, with a folder for each trial.
        written: What readers find in a trial's folder at the end, in any order.
        epochs: For each epoch and subtask the records; a batch each.
        exactly_once: Whether records may not be there twice.

    Returns:
        How many crashes there were.

    Raises:
        AssertionError: Records are lost or, if `exactly_once`, doubled, or the sink raised. Names the method and the
            crash.
    """
    wanted = Counter(repr(record) for epoch in epochs for records in epoch for record in records)

    def trial(world: Path, calls: Calls) -> None:
        SinkTrial(make(world), world, calls).write(epochs)
        compare(list(written(world)), wanted, lambda text: not exactly_once)

    return run_trials(folder, trial)
