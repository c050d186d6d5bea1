"""Streams that a test feeds, with time that it moves."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from typing import Any

from datastream.api.data_stream import DataStream
from datastream.api.environment import StreamExecutionEnvironment
from datastream.io.numbered import NumberedSource
from datastream.time import (
    MIN_WATERMARK,
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)
from datastream.types import TypeInformation
from datastream.types.pickles import dumps, loads

#: An element with its timestamp; or a watermark, with None for the element.
_Entry = tuple[bool, Any, int]

#: The file with the number after the last entry that the job may read.
_END = "end"


class TestStream:
    """A stream that a test feeds while the job runs, by the names of Apache Beam's `TestStream`.

    What is added reaches the job with the next `SteppedJob.run_epoch`.

    Args:
        type_info: The declared type of the elements. Default: none.
        uid: The uid of the source, where the job has several.
    """

    __test__ = False  # it is no test of pytest's

    def __init__(self, type_info: TypeInformation | None = None, uid: str = "test-stream") -> None:
        self.uid = uid
        self._type = type_info
        self._folder = tempfile.mkdtemp(prefix="datastream-test-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._end = os.path.join(self._folder, _END)
        self._waiting: list[_Entry] = []
        self._watermark = MIN_WATERMARK
        self.released = 0
        write_number(self._end, 0)

    def add_elements(self, elements: Iterable[Any], timestamp: int | None = None) -> TestStream:
        """Add elements, in order.

        Args:
            elements: Any records.
            timestamp: Of all of them, in ms since 1970. Default: the watermark so far, or 0 before the first one. At or
                below the watermark they are late.
        """
        if timestamp is None:
            timestamp = max(0, self._watermark)
        self._waiting += [(True, element, timestamp) for element in elements]
        return self

    def advance_watermark_to(self, timestamp: int) -> TestStream:
        """Say that no elements at or before a moment, in ms since 1970, are expected after those that were added.

        Raises:
            ValueError: It is not beyond the watermark so far.
        """
        if timestamp <= self._watermark:
            raise ValueError(f"the watermark is at {self._watermark} already, it cannot go to {timestamp}")
        self._watermark = timestamp
        self._waiting.append((False, None, timestamp))
        return self

    def release(self) -> int:
        """Give what was added to the job, and a mark, so that there is an epoch in any case; how much there is now."""
        entries = [*self._waiting, (False, None, self._watermark)]
        self._waiting = []
        path = os.path.join(self._folder, f"{self.released:012}")
        with open(path, "wb") as file:
            file.write(dumps(entries))
        self.released += len(entries)
        write_number(self._end, self.released)
        return self.released

    def on(self, env: StreamExecutionEnvironment) -> DataStream:
        """The stream, in a job."""
        strategy = WatermarkStrategy.for_generator(_Watermarks).with_timestamp_assigner(_Timestamps())
        entries = env.from_source(_Entries(self._folder), strategy, self.uid).uid(self.uid).set_parallelism(1)
        return entries.flat_map(_elements, self._type).name("elements").set_parallelism(1)


class _Entries(NumberedSource):
    bounded = False
    most_splits = 1

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def end(self) -> int:
        return read_number(os.path.join(self._folder, _END))

    def read(self, start: int, end: int) -> Iterable[list[_Entry]]:
        for name in sorted(os.listdir(self._folder)):
            if not name.isdecimal() or int(name) >= end:
                continue
            with open(os.path.join(self._folder, name), "rb") as file:
                entries = loads(file.read())
            wanted = entries[max(0, start - int(name)) : end - int(name)]
            if wanted:
                yield wanted


class _Timestamps(TimestampAssigner):
    def extract_timestamp(self, value: _Entry, record_timestamp: int) -> int:
        return value[2]


class _Watermarks(WatermarkGenerator):
    def on_event(self, event: _Entry, event_timestamp: int, output: WatermarkOutput) -> None:
        if not event[0]:
            output.emit_watermark(event[2])

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        pass


def _elements(entry: _Entry) -> Iterable[Any]:
    if entry[0]:
        yield entry[1]


def write_number(path: str, number: int) -> None:
    """Replace the number in a file, for readers in other processes."""
    temporary = f"{path}.new"
    with open(temporary, "w") as file:
        file.write(str(number))
    os.replace(temporary, path)


def read_number(path: str) -> int:
    """The number in a file."""
    with open(path) as file:
        return int(file.read())
