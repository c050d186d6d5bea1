"""Amounts and points in time, timers, and where timestamps and watermarks come from."""

from datastream.time.bounded_out_of_orderness import BoundedOutOfOrdernessWatermarks, MonotonousTimestampsWatermarks
from datastream.time.combined_watermark import CombinedWatermark, InputWatermark
from datastream.time.duration import Duration
from datastream.time.idleness import IdlenessTimer, WatermarksWithIdleness
from datastream.time.instant import Instant
from datastream.time.no_watermarks import NoWatermarks
from datastream.time.time import Time
from datastream.time.time_domain import TimeDomain
from datastream.time.timer_service import TimerService
from datastream.time.timestamp_assigner import TimestampAssigner
from datastream.time.watermark import MAX_WATERMARK, MIN_WATERMARK, NO_TIMESTAMP
from datastream.time.watermark_generator import WatermarkGenerator, WatermarkOutput
from datastream.time.watermark_strategy import WatermarkStrategy
from datastream.time.watermark_valve import WatermarkValve

__all__ = [
    "MAX_WATERMARK",
    "MIN_WATERMARK",
    "NO_TIMESTAMP",
    "BoundedOutOfOrdernessWatermarks",
    "CombinedWatermark",
    "Duration",
    "IdlenessTimer",
    "InputWatermark",
    "Instant",
    "MonotonousTimestampsWatermarks",
    "NoWatermarks",
    "Time",
    "TimeDomain",
    "TimerService",
    "TimestampAssigner",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
    "WatermarkValve",
    "WatermarksWithIdleness",
]
