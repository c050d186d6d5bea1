"""A source, driven through one job that may crash once."""

from __future__ import annotations

import gc
import json
import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from datastream.errors import cut
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator, Spool
from datastream.io.queues import QueueReader
from datastream.metrics import MetricRegistry
from datastream.types import pickles

from .crashes import Calls, ContractError, Crash, method_name, pickled_settings, pickling, shown

_LOGGER = logging.getLogger("datastream.testing")
_QUIET = 3
_MOST_EPOCHS = 1000
#: A source with an end may ask its server meanwhile.
_PATIENCE_S = 10.0
_POLL_S = 0.01
_AGAIN_S = 0.05


class SourceTrial:
    """A job that reads a source to its end; a source without end until three epochs in a row bring nothing.

    A source without end gets some seconds more for records that are missing: a reader may take a while to get its first
    ones, and a queue to deliver again what a dead reader held.

    Args:
        source: The source.
        folder: Where the spool is.
        calls: Makes the calls.
        budget: Records an epoch should hold.
        parallelism: Tasks of an epoch.
        wanted: The repr of the records that there should be -> how often.

    Attributes:
        sizes: How many records each committed epoch held.
    """

    def __init__(
        self,
        source: Source,
        folder: Path,
        calls: Calls,
        budget: int,
        parallelism: int,
        wanted: Counter[str] | None = None,
    ) -> None:
        self._settings = pickled_settings(source)
        self._spool = Spool(str(folder / "spool"), "uid")
        self._calls = calls
        self._budget, self._parallelism, self._wanted = budget, parallelism, wanted or Counter()
        self._attempts = 0
        self._offsets: list[str] = []
        self._committed = 0
        self._given: dict[tuple[int, int], list[str]] = {}
        self._records: list[Any] = []
        self.sizes: list[int] = []
        self._reader: SourceReader | None = None

    def records(self) -> list[Any]:
        """What the committed epochs hold."""
        ended = False
        while not ended:
            with suppress(Crash):
                self._run()
                ended = True
            self._reader = None
            gc.collect()
        return self._records

    def _run(self) -> None:
        source: Source = pickles.loads(self._settings)
        context = EnumeratorContext("job", "uid", self._parallelism, _LOGGER, self._spool)
        call = self._calls.call
        enumerator: SplitEnumerator = call(source.create_enumerator, context)
        if not self._offsets:
            self._offsets.append(_json(call(enumerator.initial_offset), enumerator.initial_offset))
        quiet, deadline = 0, time.monotonic() + _PATIENCE_S
        again = deadline
        while len(self._offsets) < _MOST_EPOCHS:
            if quiet >= _QUIET:
                if source.bounded or time.monotonic() > again or self._has_all():
                    break
                time.sleep(_AGAIN_S)
            start = json.loads(self._offsets[self._committed])
            if self._committed == len(self._offsets) - 1:
                if self._committed:
                    call(enumerator.commit, start)
                if call(enumerator.finished, start):
                    break
                end = _json(call(enumerator.latest_offset, start, self._budget), enumerator.latest_offset)
                if json.loads(end) == start:
                    if source.bounded:
                        _wait(deadline, enumerator)
                    else:
                        quiet += 1
                    continue
                self._offsets.append(end)
            end = json.loads(self._offsets[self._committed + 1])
            given = self._epoch(enumerator, start, end)
            deadline = time.monotonic() + _PATIENCE_S
            quiet, again = (0, deadline) if given else (quiet + 1, again)
            self._records += given
            self.sizes.append(len(given))
            self._committed += 1
        call(enumerator.close)
        if self._reader is not None:
            call(self._reader.close)

    def _has_all(self) -> bool:
        return not self._wanted - Counter(map(repr, self._records))

    def _epoch(self, enumerator: SplitEnumerator, start: Any, end: Any) -> list[Any]:
        found = self._calls.call(enumerator.splits, start, end, self._parallelism)
        name = method_name(enumerator.splits)
        try:
            splits = list(found)
        except TypeError as error:
            raise ContractError(f"{name} returned {shown(found)}, expected a list of splits") from error
        with pickling(f"a split of {name}", "return plain values"):
            splits = pickles.loads(pickles.dumps(splits))
        return [record for number, split in enumerate(splits) for record in self._task(number, split)]

    def _task(self, number: int, split: Any) -> list[Any]:
        """The records of a split; after a crash of its worker or an error the task runs again."""
        while True:
            self._attempts += 1
            try:
                return self._read(number, split, self._attempts)
            except Crash:
                if self._calls.scope == "job":
                    raise
            reader, self._reader = self._reader, None
            if self._calls.scope == "task" and reader is not None:
                self._calls.clean_up(reader.close)
            del reader
            gc.collect()

    def _read(self, number: int, split: Any, attempt: int) -> list[Any]:
        call = self._calls.call
        if self._reader is None:
            metrics = MetricRegistry("job", "source", "uid", number).group
            context = ReaderContext("job", "uid", self._parallelism, True, metrics, _LOGGER, self._spool)
            source: Source = pickles.loads(self._settings)
            self._reader = call(source.create_reader, context)
            if isinstance(self._reader, QueueReader):
                self._reader.call = call
        reader = self._reader
        assert reader is not None
        call(reader.begin, self._committed, attempt)
        name = method_name(reader.read)
        batches = _batches(call(reader.read, split), name)
        before = self._given.setdefault((self._committed, number), [])
        given: list[Any] = []
        texts: list[str] = []
        what = f"{name} of split {cut(split)} in epoch {self._committed}"
        while (batch := call(next, batches, None, name=f"{name}, next batch")) is not None:
            _check(batch, name)
            given += batch.records
            texts += map(repr, batch.records)
            shared = min(len(before), len(texts))
            if texts[:shared] != before[:shared]:
                raise ContractError(_differs(what, before, texts))
            before += texts[len(before) :]
        if len(texts) < len(before):
            raise ContractError(_differs(what, before, texts))
        call(reader.idle)
        return given


def _wait(deadline: float, enumerator: SplitEnumerator) -> None:
    if time.monotonic() > deadline:
        raise ContractError(
            f"{method_name(enumerator.latest_offset)} has brought nothing for {_PATIENCE_S:.0f} s, and "
            f"{method_name(enumerator.finished)} stays false: a job would never end, though the source is bounded"
        )
    time.sleep(_POLL_S)


def _json(offset: Any, method: Any) -> str:
    try:
        return json.dumps(offset)
    except (TypeError, ValueError) as error:
        raise ContractError(f"{method_name(method)} returned {shown(offset)}, which is not JSON ({error})") from error


def _batches(found: Any, name: str) -> Iterator[Any]:
    if isinstance(found, Batch) or not hasattr(found, "__iter__"):
        raise ContractError(f"{name} returned {shown(found)}, expected an iterator of Batch: yield Batch([...])")
    return iter(found)


def _check(batch: Any, name: str) -> None:
    if not isinstance(batch, Batch):
        raise ContractError(f"{name} gave {shown(batch)}, expected Batch: yield Batch([...])")
    if batch.timestamps is not None and len(batch.timestamps) != len(batch.records):
        counts = f"{len(batch.timestamps)} timestamps for {len(batch.records)} records"
        raise ContractError(f"{name} gave a batch with {counts}")


def _differs(what: str, before: list[str], now: list[str]) -> str:
    at = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now)))
    first, second = (texts[at] if at < len(texts) else "nothing" for texts in (before, now))
    return f"{what} is not the same when read again: record {at} was {first}, is {second}"
