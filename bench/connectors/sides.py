"""What benchmarks share: our writer and reader driven whole, and rates of sides that take turns."""

from __future__ import annotations

import gc
import logging
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

from datastream.io import (
    Batch,
    CommitterContext,
    EnumeratorContext,
    ReaderContext,
    Sink,
    Source,
    Spool,
    WriterContext,
)
from datastream.metrics import MetricRegistry
from datastream.runtime.program import GC_THRESHOLDS

_LOGGER = logging.getLogger("bench")


def write(sink: Sink, records: list[Any]) -> None:
    """The whole path of a writer and its committer, in one epoch, with notes on the disk."""
    metrics = MetricRegistry("job", "sink", "uid", 0).group
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(folder, "uid")
        writer = sink.create_writer(WriterContext("job", "uid", 0, 1, metrics, _LOGGER, spool))
        committer = sink.create_committer(CommitterContext("job", "uid", 1, _LOGGER, spool))
        writer.begin(0, 0)
        for start in range(0, len(records), 4096):
            writer.write(Batch(list(records[start : start + 4096])))
        prepared = writer.prepare_commit()
        if committer is not None:
            committer.commit(0, [prepared], True)
            committer.close()
        writer.close()


def read(source: Source, count: int, epoch: int, pause_s: float = 0.0) -> None:
    """The whole path of an enumerator and a reader, with notes on the disk.

    Args:
        source: One with these records, or more.
        count: How many records are read.
        epoch: How many of an epoch.
        pause_s: Between epochs, as in a job; or a source that follows a stream makes one of each few records.
    """
    metrics = MetricRegistry("job", "source", "uid", 0).group
    with tempfile.TemporaryDirectory() as folder:
        spool = Spool(folder, "uid")
        enumerator = source.create_enumerator(EnumeratorContext("job", "uid", 1, _LOGGER, spool))
        reader = source.create_reader(ReaderContext("job", "uid", 1, False, metrics, _LOGGER, spool))
        offset, found = enumerator.initial_offset(), 0
        while found < count:
            end = enumerator.latest_offset(offset, epoch)
            for split in enumerator.splits(offset, end, 1):
                found += sum(len(records.records) for records in reader.read(split))
            offset = end
            enumerator.commit(offset)
            if found < count:
                time.sleep(pause_s)
        reader.close()
        enumerator.close()


class Rates:
    """Records a second of sides that take turns; the median of the rounds counts.

    Args:
        count: Records of a round.
    """

    def __init__(self, count: int) -> None:
        gc.set_threshold(*GC_THRESHOLDS)  # as in a worker, for all sides
        gc.freeze()
        self._count = count
        self._found: dict[str, list[float]] = {}

    def measure(self, what: str, side: Callable[[], object], count: int | None = None) -> None:
        """Time a round of a side; of another number of records, if one is given."""
        began = time.perf_counter()
        side()
        self.add(what, time.perf_counter() - began, count)

    def add(self, what: str, seconds: float, count: int | None = None) -> None:
        """Note the seconds of a round of a side that has timed itself."""
        self._found.setdefault(what, []).append((count or self._count) / seconds)

    def measure_both(
        self,
        write_ours: Callable[[], None],
        write_bare: Callable[[], None],
        read_ours: Callable[[], None],
        read_bare: Callable[[], None],
    ) -> None:
        """Time a round of writing and reading, each ours and the bare one."""
        self.measure("write, ours", write_ours)
        self.measure("write, bare", write_bare)
        self.measure("read, ours", read_ours)
        self.measure("read, bare", read_bare)

    def show_both(self) -> None:
        """Print a table of what `measure_both` has timed."""
        self.show((("write", "write, ours", "write, bare"), ("read", "read, ours", "read, bare")))

    def show_guarantees(self) -> None:
        """Print a table of sides that write exactly once, such as ``write once, ours``, and at least once, and read."""
        self.show(
            (
                ("write, exactly once", "write once, ours", "write once, bare"),
                ("write, at least once", "write, ours", "write, bare"),
                ("read, exactly once", "read, ours", "read, bare"),
            )
        )

    def show_pairs(self, name: str, heading: bool) -> None:
        """Print a line for each side such as ``write, ours`` that has one such as ``write, bare``.

        Args:
            name: What the titles begin with.
            heading: Print one first.
        """
        whats = [what.removesuffix(", ours") for what in self._found if what.endswith(", ours")]
        self.show(((f"{name}: {what}", f"{what}, ours", f"{what}, bare") for what in whats), heading)

    def show(self, pairs: Iterable[tuple[str, str, str]], heading: bool = True) -> None:
        """Print a table: title, our side and the bare one of each line."""
        found = {what: statistics.median(values) for what, values in self._found.items()}
        if heading:
            print(f"{'':40} {'ours':>10} {'bare':>10} {'ratio':>6}   records/s")
        for title, ours, bare in pairs:
            ratio = found[ours] / found[bare]
            print(f"{title:40} {found[ours]:10,.0f} {found[bare]:10,.0f} {ratio:6.2f}", flush=True)
