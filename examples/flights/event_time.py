"""The two times of a flight. The table is in order of departure, so by the schedule late flights come late."""

from __future__ import annotations

from parsing import MINUTE_MS, Flight
from pyflink.common import Duration, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner

USUAL_DELAY_MINUTES = 15


class Departure(TimestampAssigner):
    """When a flight left."""

    def extract_timestamp(self, value: Flight, record_timestamp: int) -> int:
        return value.departure


class Schedule(TimestampAssigner):
    """When a flight was to leave."""

    def extract_timestamp(self, value: Flight, record_timestamp: int) -> int:
        return scheduled(value)


def scheduled(flight: Flight) -> int:
    """When a flight that departed was to leave, in ms."""
    return flight.departure - flight.dep_delay * MINUTE_MS


BY_DEPARTURE = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Departure())
BY_SCHEDULE = WatermarkStrategy.for_bounded_out_of_orderness(
    Duration.of_minutes(USUAL_DELAY_MINUTES)
).with_timestamp_assigner(Schedule())
