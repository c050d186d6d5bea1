"""Values that users keep, of their own classes and of ours."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from datastream import Row, RowKind
from datastream.connectors.kafka import ConsumerRecord, KafkaTopicPartition, ProducerRecord, TimestampType
from datastream.formats import DeadLetter
from datastream.functions import OutputTag
from datastream.time import Duration, Instant, Time, TimeDomain
from datastream.windows import CountWindow, GlobalWindow, TimestampedValue, TimeWindow


@dataclass
class Note:
    """A user's own."""

    number: int
    text: str


class Pair(NamedTuple):
    """A user's own."""

    first: int
    second: int


class Color(enum.Enum):
    """A user's own."""

    RED = 1
    BLUE = 2


def kept(number: int) -> list[object]:
    """One value of each kind."""
    return [
        number,
        float(number),
        f"text {number}",
        b"bytes",
        None,
        (number, "tuple"),
        {"of": [number], "set": {number}},
        Decimal(number) / 8,
        datetime.datetime(2024, 2, 29, 1, 2, 3, number),
        datetime.date(2024, 2, 29),
        Note(number, "own"),
        Pair(number, 2),
        Color.BLUE,
        Row(number, "row"),
        Row(id=number, name="named"),
        Row.of_kind(RowKind.DELETE, number, "deleted"),
        Row(inner=Row(1, Row(two=2))),
        RowKind.UPDATE_AFTER,
        Instant(number, 5),
        Duration.of_millis(number),
        Time.seconds(number),
        TimeDomain.PROCESSING_TIME,
        TimeWindow(0, number),
        CountWindow(number),
        GlobalWindow.get(),
        TimestampedValue(number, 7),
        OutputTag("late"),
        DeadLetter(b"unreadable", "why", "topic", 1, number),
        ConsumerRecord("topic", 1, number, 5, TimestampType.CREATE_TIME, b"key", b"value", (("header", b"1"),)),
        ProducerRecord("topic", b"value", b"key", 1, number),
        KafkaTopicPartition("topic", number),
    ]


def told(value: object) -> str:
    """A value as text that does not depend on the process."""
    if isinstance(value, list):
        return f"[{', '.join(map(told, value))}]"
    name = type(value).__name__
    if name == "Time":
        return f"{name} {value.to_milliseconds()}"
    if name == "OutputTag":
        return f"{name} {value.tag_id}"
    if name == "TimestampedValue":
        return f"{name} {tuple(value)}"
    if name == "TimeWindow":
        return f"{name} {value.start} {value.end}"
    if name == "GlobalWindow":
        return f"{name} {name}()"
    return f"{name} {value!r}"
