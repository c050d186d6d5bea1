"""Numbers that end in the middle: the job fails there, with everything before that in its checkpoint."""

from __future__ import annotations

from datastream.functions import MapFunction
from datastream.time import Duration, TimestampAssigner, WatermarkStrategy

#: How many numbers a job reads.
COUNT = 6000

#: Where its first run ends.
HALF = 4000

#: Timestamps of all numbers lie before this one, in ms.
END = 60_500

MESSAGE = "the first half of the input has been read"


class Until(MapFunction):
    """Gives numbers on, and raises at a certain one.

    Args:
        limit: The number; None: never.
    """

    def __init__(self, limit: int | None) -> None:
        self.limit = limit

    def map(self, value: int) -> int:
        if self.limit is not None and value >= self.limit:
            raise RuntimeError(MESSAGE)
        return value


def time_of(number: int) -> int:
    """A number's timestamp in ms: ten a number, out of order by less than half a second."""
    return number * 10 + number * 7919 % 491


class NumberTime(TimestampAssigner):
    """Timestamps of numbers, or of tuples that begin with one."""

    def extract_timestamp(self, value, record_timestamp):
        return time_of(value[0] if type(value) is tuple else value)


def in_time() -> WatermarkStrategy:
    """None of the numbers is late."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(500))
    return strategy.with_timestamp_assigner(NumberTime())


def numbers(env, limit, uid="numbers", count=COUNT):
    """All numbers up to the count, with timestamps."""
    stream = env.from_sequence(0, count - 1).uid(uid).map(Until(limit))
    return stream.assign_timestamps_and_watermarks(in_time()).uid(f"{uid} times")
