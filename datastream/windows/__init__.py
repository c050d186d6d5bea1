"""Windows: which records belong together, when they give a result, and what leaves them before.

The names of `pyflink.datastream.window`, and Flink's evictors.
"""

from datastream.windows.count_window import CountWindow, CountWindowSerializer
from datastream.windows.count_windows import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from datastream.windows.dynamic_session import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    SessionWindowTimeGapExtractor,
)
from datastream.windows.evictors.count import CountEvictor
from datastream.windows.evictors.delta import DeltaEvictor
from datastream.windows.evictors.evictor import Evictor, TimestampedValue
from datastream.windows.evictors.time import TimeEvictor
from datastream.windows.global_window import GlobalWindow, GlobalWindowSerializer
from datastream.windows.global_windows import GlobalWindows
from datastream.windows.session import EventTimeSessionWindows, ProcessingTimeSessionWindows
from datastream.windows.sliding import SlidingEventTimeWindows, SlidingProcessingTimeWindows
from datastream.windows.time_window import TimeWindow, TimeWindowSerializer
from datastream.windows.trigger import Trigger
from datastream.windows.trigger_result import TriggerResult
from datastream.windows.triggers.continuous_event_time import ContinuousEventTimeTrigger
from datastream.windows.triggers.continuous_processing_time import ContinuousProcessingTimeTrigger
from datastream.windows.triggers.count import CountTrigger
from datastream.windows.triggers.event_time import EventTimeTrigger
from datastream.windows.triggers.never import NeverTrigger
from datastream.windows.triggers.processing_time import ProcessingTimeTrigger
from datastream.windows.triggers.processing_timeout import ProcessingTimeoutTrigger
from datastream.windows.triggers.purging import PurgingTrigger
from datastream.windows.tumbling import TumblingEventTimeWindows, TumblingProcessingTimeWindows
from datastream.windows.window import Window
from datastream.windows.window_assigner import MergingWindowAssigner, WindowAssigner

__all__ = [
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "CountEvictor",
    "CountSlidingWindowAssigner",
    "CountTrigger",
    "CountTumblingWindowAssigner",
    "CountWindow",
    "CountWindowSerializer",
    "DeltaEvictor",
    "DynamicEventTimeSessionWindows",
    "DynamicProcessingTimeSessionWindows",
    "EventTimeSessionWindows",
    "EventTimeTrigger",
    "Evictor",
    "GlobalWindow",
    "GlobalWindowSerializer",
    "GlobalWindows",
    "MergingWindowAssigner",
    "NeverTrigger",
    "ProcessingTimeSessionWindows",
    "ProcessingTimeTrigger",
    "ProcessingTimeoutTrigger",
    "PurgingTrigger",
    "SessionWindowTimeGapExtractor",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "TimeEvictor",
    "TimeWindow",
    "TimeWindowSerializer",
    "TimestampedValue",
    "Trigger",
    "TriggerResult",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
    "Window",
    "WindowAssigner",
]
