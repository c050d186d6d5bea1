"""Where timestamps and watermarks come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, cast

from datastream.errors import ValidationError, cut
from datastream.graph.operators import Timestamps
from datastream.runtime.pages import Store
from datastream.time import MIN_WATERMARK, NO_TIMESTAMP, WatermarkGenerator
from datastream.time.combined_watermark import InputWatermark
from datastream.time.timestamp_assigner import BlockTimestampAssigner
from datastream.time.watermark_generator import WatermarksOfRows
from datastream.whole_numbers import whole_number

from .host import Host, Setting, Times
from .row_watermarks import RowWatermarks

#: Records, their timestamps, and the watermark after them, if it is a new one.
Stamped = tuple[list[Any], Times, int | None]

_TIMESTAMP = "extract_timestamp must return the time in ms since 1970 as an int"


@dataclass
class Lane:
    """A source's lane that is read in this epoch.

    Attributes:
        output: What was made of its records.
        records: How many came.
    """

    output: InputWatermark
    records: int = 0


class TimestampsHost(Host):
    """Assigns records the timestamps of a `WatermarkStrategy`, and makes watermarks of them.

    Generators begin anew with each epoch: whoever gets a watermark keeps the highest, so that makes no difference to
    those that go by the highest timestamp.

    Attributes:
        records: How many records came in this epoch.
        lane: The source's lane that they come from at present; None where it has none.
        lanes: All lanes that were read in this epoch.
    """

    def __init__(self, op: Timestamps, setting: Setting) -> None:
        super().__init__(op, setting)
        self._strategy = strategy = op.strategy
        assigner = strategy.timestamp_assigner
        self._extract = None if assigner is None else assigner.extract_timestamp
        self._of_block = assigner.timestamps_of if isinstance(assigner, BlockTimestampAssigner) else None
        bound = strategy.max_out_of_orderness
        self._bound = None if bound is None else bound.to_millis()
        self._gap_ms = None if strategy.row_gap is None else strategy.row_gap.to_millis()

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self.records = 0
        self._splits: list[int] = []
        self._more = False
        self.lane: str | None = None
        self.lanes: dict[str, Lane] = {}
        self._begin()

    def _begin(self) -> None:
        self._output = InputWatermark()
        self._generator: WatermarkGenerator | None = None
        if self._strategy.generator_supplier is not None:
            self._generator = self._strategy.generator_supplier()
        self._rows = None if self._gap_ms is None else RowWatermarks(self._gap_ms)

    def begin_split(self, more: bool, lane: str | None) -> None:
        """A split of a source follows, with watermarks of its own; the lowest of all counts.

        Args:
            more: It is not the last one of the epoch.
            lane: The source's lane that it belongs to, if these are told of one by one.
        """
        if self._more:
            self._splits.append(self._output.watermark)
            self._begin()
        self._more = more
        self.lane = lane
        if lane is not None:
            self.lanes[lane] = Lane(self._output)

    @property
    def made(self) -> int:
        """The watermark that was made of this epoch's records, in ms."""
        return min([self._output.watermark, *self._splits])

    @property
    def highest(self) -> int:
        """The highest watermark of any split of this epoch, in ms."""
        return max([self._output.watermark, *self._splits])

    @property
    def idle(self) -> bool:
        """Whether the generator said that there is nothing to wait for."""
        return self._output.idle

    def stamp(self, records: list[Any], times: Times | None) -> Iterator[Stamped]:
        """Give records their timestamps."""
        self.records += len(records)
        if self.lane is not None:
            self.lanes[self.lane].records += len(records)
        stamps = self._stamps(records, times)
        before = self._reached()
        parts: Iterable[Stamped]
        if self._rows is not None:
            parts = self._by_row(records, stamps, self._rows)
        elif self._generator is not None:
            parts = self._generate(records, stamps, self._generator)
        else:
            parts = [(records, stamps, self._advance(stamps))]
        for some, their_stamps, advanced in parts:
            after = self._reached()
            goes_on = advanced is not None and after > before and self._may_emit and not self.setting.batch
            yield some, their_stamps, after if goes_on else None
            before = max(before, after)

    def _reached(self) -> int:
        return self.made if self.lane is None else self._output.watermark

    @property
    def _may_emit(self) -> bool:
        """Whether a watermark may follow its records at once: not while splits may follow that are behind it."""
        return self.lane is not None or not self._more

    def _advance(self, stamps: Times) -> int | None:
        """By the highest timestamp; the watermark if there is one at all."""
        if self._bound is not None:
            known = stamps if self._extract is not None else [t for t in stamps if t is not None]
            highest = max(known, default=None)  # type: ignore[type-var]  # what is extracted is never None
            if highest is not None:
                self._output.emit_watermark(highest - self._bound - 1)
                return self._output.watermark
        return None

    def _by_row(self, records: list[Any], times: Times, rows: RowWatermarks) -> Iterator[Stamped]:
        """Of a table: with watermarks in front of rows that are late by them, and after the block."""
        output, generator, bound = self._output, self._generator, self._bound
        stamps = cast("list[int]", times)  # a table's rows have one
        if generator is None:
            assert bound is not None
            highest = max(stamps, default=MIN_WATERMARK) - bound - 1
            each = self._strategy.row_by_row
            due = rows.before_rows(t - bound - 1 for t in stamps) if each else rows.before_late_rows(stamps, bound + 1)
        else:
            assert isinstance(generator, WatermarksOfRows)
            watermarks = self._of_rows(records, generator)
            highest = max((one for one in watermarks if one is not None), default=MIN_WATERMARK)
            each = self._strategy.row_by_row
            due = rows.before_rows(watermarks) if each else rows.before_late_rows_of(stamps, watermarks)
        start = 0
        if self._goes_by_row:
            for index, watermark in due:
                output.emit_watermark(watermark)
                yield records[start:index], times[start:index], watermark
                start = index
        output.emit_watermark(highest)
        yield (records[start:], times[start:], highest) if start else (records, times, highest)

    def _of_rows(self, records: list[Any], generator: WatermarksOfRows) -> list[int | None]:
        watermarks: list[int | None] = []
        try:
            watermarks.extend(map(generator.of_row, records))
        except BaseException:
            self.record = records[len(watermarks)]
            raise
        return watermarks

    @property
    def _goes_by_row(self) -> bool:
        """Whether rows may be late within a block: not in partitions, whose watermarks Flink makes by the clock."""
        return self._may_emit and self.lane is None and not self.setting.batch

    def _stamps(self, records: list[Any], times: Times | None) -> Times:
        extract = self._extract
        if extract is None:
            return [None] * len(records) if times is None else times
        if self._of_block is not None:
            try:
                return self._of_block(records)
            except TypeError:  # a record has none: looked at one by one, it is found
                pass
        known = repeat(NO_TIMESTAMP) if times is None else (NO_TIMESTAMP if t is None else t for t in times)
        stamps: Times = []
        self.what = f"{type(self._strategy.timestamp_assigner).__qualname__}.extract_timestamp"
        try:
            stamps.extend(map(extract, records, known))
            if len(stamps) < len(records):  # `map` took it for the end
                raise RuntimeError(f"{self.what} raised StopIteration")
        except BaseException:
            self.record = records[len(stamps)]
            raise
        if set(map(type, stamps)) != {int}:
            stamps = self._whole(records, stamps)
        self.what = None
        return stamps

    def _whole(self, records: list[Any], stamps: list[Any]) -> Times:
        found: Times = []
        for record, stamp in zip(records, stamps, strict=True):
            try:
                found.append(whole_number(stamp, _TIMESTAMP))
            except ValidationError:
                self.record = record
                raise ValidationError(
                    f"{_TIMESTAMP}, got a {type(stamp).__name__}: "
                    f"{cut(stamp)}; for a datetime: int(value.timestamp() * 1000)"
                ) from None
        return found

    def _generate(self, records: list[Any], stamps: Times, generator: WatermarkGenerator) -> Iterator[Stamped]:
        """By a generator of the user's: its watermarks follow directly the records that it made them at."""
        output = self._output
        start = 0
        self.what = f"{type(generator).__qualname__}.on_event"
        for i, (record, stamp) in enumerate(zip(records, stamps, strict=True)):
            before = output.watermark
            try:
                generator.on_event(record, NO_TIMESTAMP if stamp is None else stamp, output)
            except BaseException:
                self.record = record
                raise
            if output.watermark > before:
                yield records[start : i + 1], stamps[start : i + 1], output.watermark
                start = i + 1
        before = output.watermark
        self.what = f"{type(generator).__qualname__}.on_periodic_emit"
        generator.on_periodic_emit(output)
        self.what = None
        new = output.watermark if output.watermark > before else None
        if start < len(records) or new is not None:
            yield records[start:], stamps[start:], new
