"""Where a Kafka job's time goes outside Spark: a source and a sink that note how long each of their parts takes.

They write lines of JSON, name and ms, into a file a process, as nothing else comes back from all the processes.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from datastream.connectors.kafka import KafkaSink, KafkaSource
from datastream.connectors.kafka.sink.transactional_writer import TransactionalWriter
from datastream.connectors.kafka.source.enumerator import KafkaEnumerator
from datastream.connectors.kafka.source.reader import KafkaReader
from datastream.io import EnumeratorContext, ReaderContext, SinkWriter, SourceReader, SplitEnumerator, WriterContext

_NAMES = {
    "look up the brokers for": "sink: look up brokers",
    "take over": "sink: init_transactions",
    "read the marker of": "sink: read the marker",
    "begin": "sink: begin_transaction",
    "mark": "sink: send_offsets_to_transaction",
    "commit": "sink: commit_transaction",
}


def medians(folder: str, since: float) -> dict[str, float]:
    """The median of each part, ms, of those noted since a time."""
    found: dict[str, list[float]] = defaultdict(list)
    for path in Path(folder).glob("marks-*"):
        for line in path.read_text().splitlines():
            name, at, ms = json.loads(line)
            if at >= since:
                found[name].append(ms)
    return {name: statistics.median(values) for name, values in sorted(found.items())}


def marked_source(source: KafkaSource, folder: str) -> KafkaSource:
    """The same source, noting."""
    source.__class__ = _Source
    source.marks = folder  # type: ignore[attr-defined]
    return source


def marked_sink(sink: KafkaSink, folder: str) -> KafkaSink:
    """The same sink, noting, where it is exactly once."""
    sink.__class__ = _Sink
    sink.marks = folder  # type: ignore[attr-defined]
    return sink


def _note(folder: str, name: str, began: float) -> None:
    ended = time.time()
    with open(Path(folder, f"marks-{os.getpid()}"), "a") as file:
        file.write(json.dumps([name, ended, 1000 * (ended - began)]) + "\n")


class _Source(KafkaSource):
    marks: str

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        made = super().create_enumerator(context)
        made.__class__ = _Enumerator
        made.marks = self.marks  # type: ignore[attr-defined]
        return made

    def create_reader(self, context: ReaderContext) -> SourceReader:
        made = super().create_reader(context)
        made.__class__ = _Reader
        made.marks = self.marks  # type: ignore[attr-defined]
        return made


class _Enumerator(KafkaEnumerator):
    marks: str

    def latest_offset(self, start: Any, budget: int) -> Any:
        began = time.time()
        end = super().latest_offset(start, budget)
        _note(self.marks, "source: latest_offset" + ("" if end == start else ", with news"), began)
        return end


class _Reader(KafkaReader):
    marks: str

    def read(self, split: Any) -> Iterator[Any]:
        """A split's whole reading, without what is done with its records between two batches."""
        batches = super().read(split)
        spent = 0.0
        while True:
            began = time.time()
            batch = next(batches, None)
            spent += time.time() - began
            if batch is None:
                break
            yield batch
        _note(self.marks, "source: read a split", time.time() - spent)


class _Sink(KafkaSink):
    marks: str

    def create_writer(self, context: WriterContext) -> SinkWriter:
        made = super().create_writer(context)
        if isinstance(made, TransactionalWriter):
            made.__class__ = _Writer
            made.marks = self.marks  # type: ignore[attr-defined]
        return made


class _Writer(TransactionalWriter):
    marks: str

    def _open(self, topic: str) -> None:
        began = time.time()
        super()._open(topic)
        _note(self.marks, "sink: begin, in all", began)

    def prepare_commit(self) -> None:
        began = time.time()
        super().prepare_commit()
        _note(self.marks, "sink: end, in all", began)

    def _call(self, producer: Any, call: Callable[[], Any], doing: str, *more: Any) -> Any:
        began = time.time()
        try:
            return super()._call(producer, call, doing, *more)
        finally:
            _note(self.marks, _NAMES.get(doing, f"sink: {doing}"), began)
