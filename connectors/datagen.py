"""Generated records: for demos, load tests and tests of unbounded jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from datastream.errors import ValidationError
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import blocks, cut


class DataGeneratorSource(Source):
    """Record number i is ``generator_function(i)``, from 0, as Flink's DataGeneratorSource.

    With a rate, the epochs hold as many records as the time that has passed allows; the tasks never sleep. The offset
    is ``{"n": index of the next record, "t": ms since 1970 up to which the rate is used up}``, so a replayed
    epoch holds the same records whatever the clock says. Time during which the job was down has no records, and a
    clock that is set while the job runs changes nothing.
    """

    grows = False

    def __init__(
        self,
        generator_function: Callable[[int], Any],
        count: int | None = None,
        rate_per_second: float | None = None,
    ) -> None:
        """
        Args:
            generator_function: Makes the record of an index. Must give the same record for the same index.
            count: How many records; None: without end.
            rate_per_second: Records per second over all tasks; None: as fast as possible.

        Raises:
            ValidationError: if `count` is negative or the rate is not positive.
        """
        if count is not None and count < 0:
            raise ValidationError(f"DataGeneratorSource: count must be 0 or more, got {count}")
        if rate_per_second is not None and not rate_per_second > 0:
            raise ValidationError(f"DataGeneratorSource: rate_per_second must be positive, got {rate_per_second}")
        self._function = generator_function
        self._count = count
        self._rate = rate_per_second
        self.bounded = count is not None

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _GeneratorEnumerator(self._count, self._rate)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _GeneratorReader(self._function)


class _GeneratorEnumerator(SplitEnumerator):
    def __init__(self, count: int | None, rate: float | None) -> None:
        self._count = count
        self._rate = rate
        self._up_since: float | None = None
        self._began_ms, self._began_s = time.time() * 1000, time.monotonic()

    def _now_ms(self) -> float:
        """The time, by a clock that is never set."""
        return self._began_ms + (time.monotonic() - self._began_s) * 1000

    def initial_offset(self) -> dict[str, Any]:
        return {"n": 0, "t": self._now_ms()}

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        number: int = start["n"]
        wanted = max(budget, 1)
        if self._count is not None:
            wanted = min(wanted, self._count - number)
        used_up: float = start["t"]
        if self._rate is not None:
            if self._up_since is None:  # a new process: what lies before it is downtime, save for a new job
                self._began_ms += max(0.0, used_up - self._now_ms())  # the clock has been set back since
                self._up_since = used_up if number == 0 else self._now_ms()
            now = self._now_ms()
            used_up = max(used_up, self._up_since)
            wanted = min(wanted, int((now - used_up) * self._rate / 1000))
            used_up += max(wanted, 0) * 1000 / self._rate
        return start if wanted <= 0 else {"n": number + wanted, "t": used_up}

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[tuple[int, int]]:
        return cut(start["n"], end["n"], parallelism)

    def finished(self, offset: dict[str, Any]) -> bool:
        return self._count is not None and bool(offset["n"] >= self._count)


class _GeneratorReader(SourceReader):
    def __init__(self, function: Callable[[int], Any]) -> None:
        self._function = function

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        for low, high in blocks(*split):
            yield Batch(list(map(self._function, range(low, high))))
