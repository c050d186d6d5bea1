"""The connector ``print``: writes every row to the standard output of the driver, as Flink prints it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from datastream.connectors.print_sink import PrintSink
from datastream.table.logical_types import DataType
from datastream.types import Types

from .connector import SINK_PARALLELISM, Option, TableConnector, TableInfo, check_written, only_sink
from .printing import row_printer

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
        check_written(self, table)
        settings = self.settings(table)
        text = _RowText(tuple(column.type for column in table.columns), updates)
        lines = stream.map(text, Types.STRING()).name(f"{name}: text")
        printed = lines.sink_to(PrintSink(settings["print-identifier"], settings["standard-error"])).name(name)
        if settings["sink.parallelism"] is not None:
            lines.set_parallelism(settings["sink.parallelism"])
            printed.set_parallelism(settings["sink.parallelism"])
        return printed

    def takes_updates(self, table: TableInfo) -> bool:
        return True


class _RowText:
    """A function of rows that travels without its generated code."""

    def __init__(self, types: tuple[DataType, ...], updates: bool) -> None:
        self._types, self._updates = types, updates

    @cached_property
    def _printed(self) -> Any:
        return row_printer(self._types, self._updates)

    def __call__(self, row: tuple[Any, ...]) -> str:
        return self._printed(row)  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        return {"_types": self._types, "_updates": self._updates}
