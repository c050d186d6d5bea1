"""The connector ``print``: writes every row to the standard output of the driver, as Flink prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from datastream.connectors.print_sink import PrintSink
from datastream.types import Types

from .connector import SINK_PARALLELISM, Option, TableConnector, TableInfo, only_sink
from .printing import RowText

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink


class PrintConnector(TableConnector):
    """See the module. A line is ``identifier:subtask> +I[1, a]``; the subtask is left out where there is one."""

    name = "print"
    options = (
        Option("print-identifier", doc="Stands in front of each line."),
        Option("standard-error", "boolean", False, doc="Print to the standard error instead."),
        SINK_PARALLELISM,
    )

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        raise only_sink(self.name)

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        settings = self.settings(table)
        text = RowText(tuple(column.type for column in table.columns), updates)
        lines = stream.map(text, Types.STRING()).name(f"{name}: text")
        printed = lines.sink_to(PrintSink(settings["print-identifier"], settings["standard-error"])).name(name)
        if settings["sink.parallelism"] is not None:
            lines.set_parallelism(settings["sink.parallelism"])
            printed.set_parallelism(settings["sink.parallelism"])
        return printed

    def takes_updates(self, table: TableInfo) -> bool:
        return True
