"""What the inputs of an operator said of event time, and its form in state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.time import CombinedWatermark, WatermarkValve
from datastream.time.combined_watermark import InputWatermark
from datastream.time.watermark_valve import Channel


@dataclass
class Input:
    """One input edge of an operator.

    Attributes:
        valve: What the subtasks that send over it said; for an edge inside the subtask, what that one said.
        quiet_since: Channel -> when it was first seen without records, in ms.
        known: Channels that something came from.
        given: The watermark of the input as a whole.
        lanes: (origin, lane) -> channel, of the lanes of sources that were heard of.
    """

    valve: WatermarkValve
    quiet_since: dict[int, int] = field(default_factory=dict)
    known: set[int] = field(default_factory=set)
    given: InputWatermark = field(default_factory=InputWatermark)
    lanes: dict[tuple[Any, str], int] = field(default_factory=dict)


@dataclass
class Inputs:
    """All inputs of an operator, in the order of its edges."""

    inputs: list[Input]
    combined: CombinedWatermark


def to_record(known: Inputs, uids: Mapping[int, str]) -> tuple[int, bool, list[dict[str, Any]]]:
    """The inputs as built-in types: (watermark, idle, what is known of each).

    Args:
        known: The inputs.
        uids: Of operators, by their ids in the graph.
    """
    inputs = [
        {
            "watermark": one.valve.watermark,
            "idle": one.valve.idle,
            "channels": [(said.watermark, said.idle, said.aligned) for said in one.valve.channels],
            "given": (one.given.watermark, one.given.idle),
            "quiet": one.quiet_since,
            "known": sorted(one.known),
            "lanes": [(uids.get(origin, origin), lane, channel) for (origin, lane), channel in one.lanes.items()],
        }
        for one in known.inputs
    ]
    return known.combined.watermark, known.combined.idle, inputs


def from_record(record: tuple[int, bool, list[dict[str, Any]]], ids: Mapping[str, int]) -> Inputs:
    """The inputs that `to_record` has written.

    Args:
        record: What it gave. Version 1 has ids of origins instead of uids.
        ids: Of operators in the graph, by their uids. Lanes of others are idle from now on.
    """
    watermark, idle, parts = record
    combined = CombinedWatermark(watermark)
    combined.idle = idle
    inputs = []
    for i, part in enumerate(parts):
        channels = [Channel(*said) for said in part["channels"]]
        valve = WatermarkValve.restored(channels, part["watermark"], part["idle"])
        given = combined.inputs[i] = InputWatermark(*part["given"])
        lanes = {}
        for origin, lane, channel in part["lanes"]:
            lanes[ids.get(origin, origin), lane] = channel
            if type(origin) is str and origin not in ids:
                valve.mark_idle(channel)
        inputs.append(Input(valve, part["quiet"], set(part["known"]), given, lanes))
    return Inputs(inputs, combined)
