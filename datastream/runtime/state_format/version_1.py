"""State that version 0.1.0.dev0 has written: bare pickles, which name our classes by their modules of then."""

from __future__ import annotations

import io
import pickle
from typing import Any

from datastream import stored_types

from .records import WATERMARKS, Record

#: (module, name) of then -> the name in `datastream.stored_types`.
_STORED = {
    ("connectors.kafka.dead_records", "DeadRecord"): "kafka_dead_record",
    ("connectors.kafka.producer_record", "ProducerRecord"): "kafka_producer_record",
    ("connectors.kafka.record", "ConsumerRecord"): "kafka_record",
    ("connectors.kafka.record", "TimestampType"): "kafka_timestamp_type",
    ("connectors.kafka.topic_partition", "KafkaTopicPartition"): "kafka_topic_partition",
    ("datastream.formats.dead_letters", "DeadLetter"): "dead_letter",
    ("datastream.formats.protobuf.message_class", "_found"): "protobuf_class",
    ("datastream.formats.protobuf.message_class", "_message"): "protobuf_message",
    ("datastream.functions.output_tag", "OutputTag"): "output_tag",
    ("datastream.runtime.keyed_state.spilled_list", "SpilledList"): "spilled_list",
    ("datastream.runtime.keyed_state.spilled_map", "SpilledMap"): "spilled_map",
    ("datastream.time.duration", "Duration"): "duration",
    ("datastream.time.instant", "Instant"): "instant",
    ("datastream.time.time", "Time"): "time",
    ("datastream.time.time_domain", "TimeDomain"): "time_domain",
    ("datastream.types.pickles", "_read"): "serialized",
    ("datastream.types.row", "Row"): "row",
    ("datastream.types.row", "_named_row"): "named_row",
    ("datastream.types.row", "_row_of_kind"): "row_of_kind",
    ("datastream.types.row_kind", "RowKind"): "row_kind",
    ("datastream.windows.count_window", "CountWindow"): "count_window",
    ("datastream.windows.evictors.evictor", "TimestampedValue"): "timestamped_value",
    ("datastream.windows.global_window", "GlobalWindow"): "global_window",
    ("datastream.windows.time_window", "TimeWindow"): "time_window",
}

#: Other classes of ours that users may have kept and that were moved since: (module, name) then -> now.
_MOVED: dict[tuple[str, str], tuple[str, str]] = {}


class _Attributes:
    """What a watermark's object had."""

    def __setstate__(self, state: Any) -> None:
        own, slots = state if isinstance(state, tuple) else (state, None)
        self.__dict__.update(own or {}, **(slots or {}))


_WATERMARKS = {
    ("datastream.runtime.watermarks", "Input"),
    ("datastream.runtime.watermarks", "Inputs"),
    ("datastream.time.combined_watermark", "CombinedWatermark"),
    ("datastream.time.combined_watermark", "InputWatermark"),
    ("datastream.time.watermark_valve", "Channel"),
    ("datastream.time.watermark_valve", "WatermarkValve"),
}


class Unpickler(pickle.Unpickler):
    """Finds our classes wherever they are by now."""

    def find_class(self, module: str, name: str) -> Any:
        place = module, name
        if place in _STORED:
            return stored_types.named(_STORED[place])
        if place in _WATERMARKS:
            return _Attributes
        return super().find_class(*_MOVED.get(place, place))


def loads(data: bytes | memoryview) -> Any:
    """Unpickle an entry."""
    return Unpickler(io.BytesIO(data)).load()


def renewed(record: Record, content: Any) -> Any:
    """What an entry of version 1 holds, in the form of today."""
    return _watermarks(*content) if record is WATERMARKS else content


def _watermarks(operators: dict[str, Any], made: dict[str, int]) -> Any:
    return {
        uid: (known.combined.watermark, known.combined.idle, [_input(one) for one in known.inputs])
        for uid, known in operators.items()
    }, made


def _input(one: Any) -> Any:
    valve, given = one.valve, one.given
    return {
        "watermark": valve.watermark,
        "idle": valve.idle,
        "channels": [(channel.watermark, channel.idle, channel.aligned) for channel in valve.channels],
        "given": (given.watermark, given.idle),
        "quiet": one.quiet_since,
        "known": sorted(one.known),
        "lanes": [(origin, lane, channel) for (origin, lane), channel in one.lanes.items()],
    }
