"""`DataStreamUtils` of FLIP-130."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from datastream.functions import KeySelector
from datastream.types import TypeInformation

from .data_stream import DataStream
from .keyed_stream import KeyedStream


class DataStreamUtils:
    """Calls that Flink keeps apart from `DataStream`."""

    @staticmethod
    def collect(stream: DataStream, execution_job_name: str | None = None) -> Iterator[Any]:
        """Run the job and give the stream's records, in the order of their subtasks' epochs."""
        return stream.execute_and_collect(execution_job_name)  # type: ignore[return-value]

    @staticmethod
    def reinterpret_as_keyed_stream(
        stream: DataStream, key_selector: Callable[[Any], Any] | KeySelector, type_info: TypeInformation | None = None
    ) -> KeyedStream:
        """Take a stream for partitioned by key that is so already.

        Here it is partitioned again: placing is exact whatever the stream was, at the cost of one exchange.

        Args:
            stream: The stream.
            key_selector: record -> key.
            type_info: Declared type of the key.
        """
        return stream.key_by(key_selector, type_info)
