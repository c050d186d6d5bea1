"""The watermark of a table, which moves on from row to row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


class RowWatermarks:
    """Says after which rows the watermark moves on, as Flink's ``WatermarkAssignerOperator``.

    It moves on after each row that is more than a gap later than the row that moved it before. As none but a late row
    can tell, one is given in front of a late row only.

    Args:
        gap_ms: The gap.
    """

    def __init__(self, gap_ms: int) -> None:
        self._gap = gap_ms
        self._moved = self._given = 0  # where Flink begins: before 1970 nothing is late

    def before_late_rows(self, stamps: Sequence[int], delay_ms: int) -> Iterator[tuple[int, int]]:
        """The indices of rows in front of which a watermark is due, and that watermark.

        Args:
            stamps: Of the rows, in ms.
            delay_ms: How far watermarks are behind them, from 0.
        """
        moved, gap = self._moved, self._gap
        due = moved + gap + delay_ms
        for index, stamp in enumerate(stamps):
            if stamp > due:
                moved = stamp - delay_ms
                due = stamp + gap
            elif stamp <= moved and moved > self._given:
                self._given = moved
                yield index, moved
        self._moved = moved

    def before_late_rows_of(self, stamps: Sequence[int], watermarks: Sequence[int | None]) -> Iterator[tuple[int, int]]:
        """The same for watermarks that are not a fixed time behind their rows; None: the row makes none."""
        for index, (stamp, watermark) in enumerate(zip(stamps, watermarks, strict=True)):
            if stamp <= self._moved and self._moved > self._given:
                self._given = self._moved
                yield index, self._moved
            if watermark is not None and watermark > self._moved + self._gap:
                self._moved = watermark

    def before_rows(self, watermarks: Iterable[int | None]) -> Iterator[tuple[int, int]]:
        """The same in front of all rows, late or not, by the watermark that each makes."""
        for index, watermark in enumerate(watermarks):
            if self._moved > self._given:
                self._given = self._moved
                yield index, self._moved
            if watermark is not None and watermark > self._moved + self._gap:
                self._moved = watermark
