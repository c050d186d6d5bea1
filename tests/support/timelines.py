"""What tests of event time share: streams whose watermarks stand exactly where the test puts them."""

from __future__ import annotations

from datastream.time import TimestampAssigner, WatermarkGenerator, WatermarkStrategy

#: Makes a watermark of a number in a stream of `timeline`.
WATERMARK = "watermark"


class Second(TimestampAssigner):
    """The timestamp is the second field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Marked(WatermarkGenerator):
    """The records (WATERMARK, t) are watermarks; no others come."""

    def on_event(self, event, event_timestamp, output):
        if event[0] == WATERMARK:
            output.emit_watermark(event[1])

    def on_periodic_emit(self, output):
        return None


def timeline(env, *events):
    """A stream of (key, timestamp, ...) in one subtask; an int among the events is a watermark at that place."""
    records = [(WATERMARK, event) if isinstance(event, int) else event for event in events]
    strategy = WatermarkStrategy.for_generator(Marked).with_timestamp_assigner(Second())
    stream = env.from_collection(records).assign_timestamps_and_watermarks(strategy)
    return stream.filter(lambda event: event[0] != WATERMARK)
