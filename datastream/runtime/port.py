"""Ports: where records leave a stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.errors import ValidationError
from datastream.graph import Broadcast, Edge
from datastream.time import MAX_WATERMARK, MIN_WATERMARK
from datastream.types.pickles import NotPicklableError, dumps_records

from .blocks import BLOCK_BYTES, BLOCK_RECORDS
from .partitioning import Columns, placement
from .program import Program
from .sinking import pickling_failure
from .timed_blocks import Frame, InlineWatermark, WatermarkReport, wrap
from .user_errors import user_failure

#: Records that a port gathers first, before it knows how large they are.
_FIRST = 256

Emit = Callable[[int, int, int, bytes], None]


class Port:
    """Where records leave a task on one edge: gathers them, places them, makes blocks.

    Args:
        program: The job.
        edge: The edge.
        subtask: Index of the subtask.
        epoch: Number of the epoch.
        emit: Takes each block: its slot, channel, number of records and bytes.
    """

    def __init__(self, program: Program, edge: Edge, subtask: int, epoch: int, emit: Emit) -> None:
        plan = program.plan
        upstream = plan.subtasks[edge.source]
        self.edge = edge
        self._plan, self._emit = plan, emit
        self._targets = plan.subtasks[edge.target]
        self._place = placement(
            edge.partitioner,
            subtask % upstream,
            upstream,
            self._targets,
            epoch,
            program.placement(edge),
        )
        self._serializer = program.serializer(edge)
        self._timed = edge.id in plan.timing.timed
        self._framed = self._timed or edge.id in plan.timing.watermarked
        self._records: list[Any] = []
        self._keys: list[Any] = []
        self._times: list[int | None] = []
        self._watermarks: list[InlineWatermark] = []
        self._most = BLOCK_RECORDS * min(self._targets, 16)
        self._limit = _FIRST
        self._record_bytes = program.spec.record_bytes

    def push(self, records: list[Any], keys: list[Any] | None, times: list[int | None] | None) -> None:
        self._records += records
        if keys:
            self._keys += keys
        if times:
            self._times += times
        if len(self._records) >= self._limit:
            self.flush()

    def push_watermark(self, origin: int, watermark: int, lane: str | None) -> None:
        """Put a watermark after the records that were pushed."""
        self._watermarks.append(InlineWatermark(len(self._records), origin, watermark, lane))

    def report(self, reports: list[WatermarkReport]) -> None:
        """End the epoch: send each target what it must know of our watermarks."""
        self.flush()
        data = wrap(Frame(None, [], reports), b"")
        for target in range(self._targets):
            self._emit(target, self.edge.id, 0, data)

    def flush(self) -> None:
        records, keys, times, watermarks = self._records, self._keys, self._times, self._watermarks
        if not records and not watermarks:
            return
        self._records, self._keys, self._times, self._watermarks = [], [], [], []
        if watermarks and watermarks[0].position < len(records):
            sent = self._send_sections(records, keys, times, watermarks)
        else:
            sent = self._send_all(records, keys, times, watermarks)
        if sent > BLOCK_BYTES:  # large records: fewer of them at a time
            self._limit = max(1, min(self._limit, BLOCK_BYTES * len(records) // sent))
        elif len(records) >= self._limit:
            self._limit = min(16 * self._limit, self._most)

    def _send_all(
        self, records: list[Any], keys: list[Any], times: list[int | None], watermarks: list[InlineWatermark]
    ) -> int:
        """Send what has its watermarks, if any, after all records."""
        sent = 0
        known = b""
        same = isinstance(self.edge.partitioner, Broadcast)
        left = set(range(self._targets)) if watermarks else set()
        if records:
            for target, (some, their_keys, their_times) in self._placed((records, keys or None, times or None)):
                if some:
                    if known:
                        self._emit(target, self.edge.id, len(some), known)
                        sent += len(known)
                    else:
                        here = [watermark._replace(position=len(some)) for watermark in watermarks]
                        data = self._send(target, some, their_keys, their_times, here)
                        sent += len(data)
                        known = data if same and len(data) <= self._record_bytes else b""
                    left.discard(target)
        if left:
            data = wrap(Frame(None, [watermark._replace(position=0) for watermark in watermarks], []), b"")
            for target in sorted(left):
                self._emit(target, self.edge.id, 0, data)
        return sent

    def _send_sections(
        self, records: list[Any], keys: list[Any], times: list[int | None], watermarks: list[InlineWatermark]
    ) -> int:
        """Send what has watermarks between its records: each part of a block is placed by itself."""
        parts: list[tuple[list[Any], list[Any], list[int | None], list[InlineWatermark]]]
        parts = [([], [], [], []) for _ in range(self._targets)]
        start = 0
        for watermark in (*watermarks, None):
            end = len(records) if watermark is None else watermark.position
            if end > start:
                section = (records[start:end], keys[start:end] or None, times[start:end] or None)
                for target, (some, their_keys, their_times) in self._placed(section):
                    parts[target][0].extend(some)
                    parts[target][1].extend(their_keys or ())
                    parts[target][2].extend(their_times or ())
                start = end
            if watermark is not None:
                for part in parts:
                    part[3].append(watermark._replace(position=len(part[0])))
        sent = 0
        for target, (some, their_keys, their_times, here) in enumerate(parts):
            if some:
                sent += len(self._send(target, some, their_keys or None, their_times or None, here))
            else:
                data = wrap(Frame(None, here, []), b"")
                sent += len(data)
                self._emit(target, self.edge.id, 0, data)
        return sent

    def _send(
        self,
        target: int,
        records: list[Any],
        keys: list[Any] | None,
        times: list[int | None] | None,
        watermarks: list[InlineWatermark],
    ) -> bytes:
        """Send records as one block, as long as it is not too large; what they all look like."""
        data = self._dump(records, keys, times, watermarks)
        if len(data) <= self._record_bytes or len(records) == 1:
            self._emit(target, self.edge.id, len(records), data)
            return data
        middle = len(records) // 2
        for part in (slice(middle), slice(middle, None)):
            start = part.start or 0
            here = [
                watermark._replace(position=watermark.position - start)
                for watermark in watermarks
                if (watermark.position > middle) == (start > 0)
            ]
            self._send(target, records[part], keys and keys[part], times and times[part], here)
        return data

    def _placed(self, columns: Columns) -> list[tuple[int, Columns]]:
        try:
            return list(self._place(columns))
        except BaseException as error:
            target = self._plan.operators[self.edge.target]
            what = f"{self.edge.partitioner.name} partitioner"
            raise user_failure(error, target, what, trace=error.__traceback__) from error

    def _dump(
        self,
        records: list[Any],
        keys: list[Any] | None,
        times: list[int | None] | None,
        watermarks: list[InlineWatermark],
    ) -> bytes:
        try:
            data = self._serializer.dumps(records, keys)
        except NotPicklableError as error:
            raise pickling_failure(error, self._plan, self.edge) from error
        if len(data) > self._record_bytes:
            self._check_sizes(records)
        if not self._framed:
            return data
        try:
            return wrap(Frame(times, watermarks, []), data)
        except OverflowError as error:
            raise self._out_of_range(records, times) from error

    def _check_sizes(self, records: list[Any]) -> None:
        """Refuse a record that is larger than records may be."""
        for record in records:
            size = len(dumps_records([record]))
            if size > self._record_bytes:
                wrong = ValidationError(
                    f"a record takes {size:,} bytes; datastream.record.max-bytes allows {self._record_bytes:,}: make "
                    "records smaller (hand on a path or an id instead of the content), or raise that setting, and "
                    "spark.driver.memory or spark.executor.memory with it"
                )
                raise user_failure(wrong, self._plan.operators[self.edge.source], "size of a result", record)

    def _out_of_range(self, records: list[Any], times: list[int | None] | None) -> BaseException:
        """The error to raise when a timestamp has more than 64 bits."""
        source = self._plan.operators[self.edge.source]
        for record, time in zip(records, times or [], strict=False):
            if time is not None and not MIN_WATERMARK <= time <= MAX_WATERMARK:
                wrong = ValidationError(f"a timestamp must be a number of ms that 64 bits hold, got {time}")
                return user_failure(wrong, source, "timestamp of a record", record)
        wrong = ValidationError("a watermark must be a number of ms that 64 bits hold")
        return user_failure(wrong, source, "watermark")
