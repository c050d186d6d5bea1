"""Ports: where records leave a stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError
from datastream.graph import Broadcast, Edge
from datastream.time import MAX_WATERMARK, MIN_WATERMARK
from datastream.types.pickles import NotPicklableError

from .blocks import BLOCK_BYTES, BLOCK_RECORDS
from .partitioning import Columns, placement
from .sinking import pickling_failure
from .timed_blocks import Frame, Mark, Said, wrap
from .user_errors import user_failure

if TYPE_CHECKING:
    from .stage import Stage


class Port:
    """Where records leave a task on one edge: gathers them, places them, makes blocks."""

    def __init__(self, stage: Stage, edge: Edge) -> None:
        program, plan = stage.program, stage.plan
        upstream = plan.subtasks[edge.source]
        self.edge = edge
        self._stage = stage
        self._targets = plan.subtasks[edge.target]
        self._place = placement(
            edge.partitioner,
            stage.subtask % upstream,
            upstream,
            self._targets,
            stage.epoch,
            program.placement(edge),
        )
        self._serializer = program.serializer(edge)
        self._timed = edge.id in plan.timing.timed
        self._framed = self._timed or edge.id in plan.timing.watermarked
        self._records: list[Any] = []
        self._keys: list[Any] = []
        self._times: list[int | None] = []
        self._marks: list[Mark] = []
        self._limit = BLOCK_RECORDS * min(self._targets, 16)

    def push(self, records: list[Any], keys: list[Any] | None, times: list[int | None] | None) -> None:
        self._records += records
        if keys:
            self._keys += keys
        if times:
            self._times += times
        if len(self._records) >= self._limit:
            self.flush()

    def mark(self, origin: int, watermark: int, lane: str | None) -> None:
        """Put a watermark behind the records that were pushed."""
        self._marks.append(Mark(len(self._records), origin, watermark, lane))

    def say(self, said: list[Said]) -> None:
        """End the epoch: what each target must know of our watermarks."""
        self.flush()
        data = wrap(Frame(None, [], said), b"")
        for target in range(self._targets):
            self._stage.emit(target, self.edge.id, 0, data)

    def flush(self) -> None:
        records, keys, times, marks = self._records, self._keys, self._times, self._marks
        if not records and not marks:
            return
        self._records, self._keys, self._times, self._marks = [], [], [], []
        if marks and marks[0].position < len(records):
            sent = self._send_sections(records, keys, times, marks)
        else:
            sent = self._send_all(records, keys, times, marks)
        if sent > BLOCK_BYTES:  # large records: fewer of them at a time
            self._limit = max(1, min(self._limit, BLOCK_BYTES * len(records) // sent))

    def _send_all(self, records: list[Any], keys: list[Any], times: list[int | None], marks: list[Mark]) -> int:
        """Send what has its watermarks, if any, behind all records."""
        sent = 0
        data = b""
        same = isinstance(self.edge.partitioner, Broadcast)
        left = set(range(self._targets)) if marks else set()
        if records:
            for target, (some, their_keys, their_times) in self._placed((records, keys or None, times or None)):
                if some:
                    if not data or not same:
                        here = [mark._replace(position=len(some)) for mark in marks]
                        data = self._dump(some, their_keys, their_times, here)
                    sent += len(data)
                    self._stage.emit(target, self.edge.id, len(some), data)
                    left.discard(target)
        if left:
            data = wrap(Frame(None, [mark._replace(position=0) for mark in marks], []), b"")
            for target in sorted(left):
                self._stage.emit(target, self.edge.id, 0, data)
        return sent

    def _send_sections(self, records: list[Any], keys: list[Any], times: list[int | None], marks: list[Mark]) -> int:
        """Send what has watermarks between its records: each part of a block is placed by itself."""
        parts: list[tuple[list[Any], list[Any], list[int | None], list[Mark]]]
        parts = [([], [], [], []) for _ in range(self._targets)]
        start = 0
        for mark in (*marks, None):
            end = len(records) if mark is None else mark.position
            if end > start:
                section = (records[start:end], keys[start:end] or None, times[start:end] or None)
                for target, (some, their_keys, their_times) in self._placed(section):
                    parts[target][0].extend(some)
                    parts[target][1].extend(their_keys or ())
                    parts[target][2].extend(their_times or ())
                start = end
            if mark is not None:
                for part in parts:
                    part[3].append(mark._replace(position=len(part[0])))
        sent = 0
        for target, (some, their_keys, their_times, here) in enumerate(parts):
            if some:
                data = self._dump(some, their_keys or None, their_times or None, here)
            else:
                data = wrap(Frame(None, here, []), b"")
            sent += len(data)
            self._stage.emit(target, self.edge.id, len(some), data)
        return sent

    def _placed(self, columns: Columns) -> Iterator[tuple[int, Columns]]:
        try:
            yield from self._place(columns)
        except Exception as error:
            target = self._stage.plan.operators[self.edge.target]
            what = f"{self.edge.partitioner.name} partitioner"
            raise user_failure(error, target, what, trace=error.__traceback__) from error

    def _dump(
        self, records: list[Any], keys: list[Any] | None, times: list[int | None] | None, marks: list[Mark]
    ) -> bytes:
        try:
            data = self._serializer.dumps(records, keys)
        except NotPicklableError as error:
            raise pickling_failure(error, self._stage.plan, self.edge) from error
        if not self._framed:
            return data
        try:
            return wrap(Frame(times, marks, []), data)
        except OverflowError as error:
            raise self._out_of_range(records, times) from error

    def _out_of_range(self, records: list[Any], times: list[int | None] | None) -> BaseException:
        """The error to raise when a timestamp has more than 64 bits."""
        source = self._stage.plan.operators[self.edge.source]
        for record, time in zip(records, times or [], strict=False):
            if time is not None and not MIN_WATERMARK <= time <= MAX_WATERMARK:
                wrong = ValidationError(f"a timestamp must be a number of ms that 64 bits hold, got {time}")
                return user_failure(wrong, source, "timestamp of a record", record)
        wrong = ValidationError("a watermark must be a number of ms that 64 bits hold")
        return user_failure(wrong, source, "watermark")
