"""Drops a stream: for measuring a job without its sink."""

from __future__ import annotations

from typing import Any

from datastream.io import Sink, Writer, WriterContext


class DiscardingSink(Sink):
    """Takes every record and keeps none, as Flink's DiscardingSink."""

    discards = True

    def writer(self, context: WriterContext) -> Writer:
        return _DiscardingWriter()


class _DiscardingWriter(Writer):
    def write(self, records: list[Any]) -> None:
        pass
