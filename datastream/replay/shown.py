"""Sinks that show records instead of writing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from datastream.connectors.collect_sink import CollectSink
from datastream.connectors.print_sink import PrintSink
from datastream.graph import JobGraph
from datastream.graph.operators import Operator, Sink
from datastream.io import Batch, CollectingSink, Consumed, SinkWriter, WriterContext
from datastream.io.feedback import FeedbackSink


class _Instead(CollectingSink):
    """In the place of another sink, of which the engine goes on to keep what it asked for."""

    _consumed = Consumed()
    _text: Callable[[Any], str] | None = None

    def of(self, op: Sink) -> CollectingSink:
        """Take an operator's place."""
        self._consumed, self._text = op.sink.consumed, op.text
        return self

    @property
    def consumed(self) -> Consumed:
        return self._consumed

    def create_writer(self, context: WriterContext) -> SinkWriter:
        writer = super().create_writer(context)  # type: ignore[safe-super]  # of the class beside this one
        return writer if self._text is None else _TextWriter(writer, self._text)


class _Printing(_Instead, PrintSink): ...


class _Keeping(_Instead, CollectSink):
    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "of": (self._consumed, self._text)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._consumed, self._text = state["of"]
        super().__setstate__(state)


class _TextWriter(SinkWriter):
    """Gives a writer the texts of records."""

    def __init__(self, writer: SinkWriter, text: Callable[[Any], str]) -> None:
        self._writer, self._text = writer, text

    def begin(self, epoch: int, attempt: int) -> None:
        self._writer.begin(epoch, attempt)

    def write(self, batch: Batch) -> None:
        self._writer.write(Batch(list(map(self._text, batch.records)), batch.timestamps))

    def prepare_commit(self) -> Any:
        return self._writer.prepare_commit()


def shown(graph: JobGraph, kept: dict[str, CollectSink] | None) -> JobGraph:
    """The job with sinks that write nothing. Rows of tables are given as their texts.

    Args:
        graph: The job.
        kept: By the names of sinks, what keeps their records; it is filled. None: records are printed, with the sink's
            name before each, and sinks that print or collect stay as they are.
    """
    return replace(graph, operators=tuple(_shown(op, kept) for op in graph.operators))


def _shown(op: Operator, kept: dict[str, CollectSink] | None) -> Operator:
    if not isinstance(op, Sink) or isinstance(op.sink, FeedbackSink):
        return op
    if kept is None:
        return op if isinstance(op.sink, CollectingSink) else replace(op, sink=_Printing(op.name).of(op))
    name = op.name
    if name in kept:  # several sinks of one name
        name = next(other for n in range(2, len(kept) + 3) if (other := f"{op.name} {n}") not in kept)
    sink = _Keeping()
    kept[name] = sink
    return replace(op, sink=sink.of(op))
