"""Drops a stream: for measuring a job without its sink."""

from __future__ import annotations

from datastream.io import Batch, Consumed, Sink, SinkWriter, WriterContext


class DiscardingSink(Sink):
    """Takes every record and keeps none, as Flink's DiscardingSink."""

    @property
    def consumed(self) -> Consumed:
        return Consumed(records=False)

    def create_writer(self, context: WriterContext) -> SinkWriter:
        return _DiscardingWriter()


class _DiscardingWriter(SinkWriter):
    def write(self, batch: Batch) -> None:
        pass
