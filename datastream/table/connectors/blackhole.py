"""The connector ``blackhole``: takes every row and keeps none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.discard_sink import DiscardingSink

from .connector import TableConnector, TableInfo, only_sink

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink


class BlackholeConnector(TableConnector):
    """See the module."""

    name = "blackhole"

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        raise only_sink(self.name)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        return stream.sink_to(DiscardingSink()).name(name)

    def takes_updates(self, table: TableInfo) -> bool:
        return True
