"""Amounts and points of time, timers, and where timestamps and watermarks come from."""

from datastream.time.duration import Duration
from datastream.time.instant import Instant
from datastream.time.time import Time
from datastream.time.time_domain import TimeDomain
from datastream.time.timer_service import TimerService
from datastream.time.timestamp_assigner import TimestampAssigner
from datastream.time.watermark_strategy import WatermarkStrategy

__all__ = [
    "Duration",
    "Instant",
    "Time",
    "TimeDomain",
    "TimerService",
    "TimestampAssigner",
    "WatermarkStrategy",
]
