"""Statistics of a running job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .wire import all_of, each_of, made, mapping, reader


@dataclass(frozen=True)
class Sample:
    """Statistics of a job over an interval. What is not known is None.

    Attributes:
        seq: Its number.
        time_ms: End of the interval, in ms since 1970.
        records_in_s: Records read per second.
        records_out_s: Records written per second.
        epochs_s: Epochs committed per second.
        epoch_ms: Mean time of an epoch.
        latency_ms: Time until the results of a record that arrives now are committed.
        busy: Share of the time in which epochs ran, 0 to 1.
        watermark_lag_ms: How far event time is behind the clock.
        backlog: Records that wait in the sources.
        state_bytes: Bytes of state.
        state_keys: Keys with state.
        memory_bytes: Memory of the driver.
        partitions: Watermark lag in ms by ``uid/partition``.
    """

    seq: int = 0
    time_ms: int = 0
    records_in_s: float | None = None
    records_out_s: float | None = None
    epochs_s: float | None = None
    epoch_ms: float | None = None
    latency_ms: float | None = None
    busy: float | None = None
    watermark_lag_ms: float | None = None
    backlog: int | None = None
    state_bytes: int | None = None
    state_keys: int | None = None
    memory_bytes: int | None = None
    partitions: Mapping[str, float] = mapping()


@dataclass(frozen=True)
class OperatorFigures:
    """Statistics of an operator at present. What is not known is None.

    Attributes:
        records_in_s: Records in per second.
        records_out_s: Records out per second.
        busy: Share of the time in which its subtasks work, 0 to 1.
        busy_max: The same of the busiest subtask.
        busiest: Index of that subtask.
        backpressure: How much it is held back by downstream operators, 0 to 1.
        watermark: Its event time, in ms since 1970.
        watermark_lag_ms: How far that is behind the clock.
        backlog: Records that wait in the source.
        keys: Keys with state.
        state_bytes: Bytes of state.
        timers: Timers that are set.
        late: Late records.
        partitions: ``watermark``, ``lag_ms`` and ``backlog`` by partition.
        holds_back: The partition or subtask with the lowest watermark.
        hot_key_groups: The key groups with most records, hottest first, with their numbers of records.
        hot_key: The key with most records, as text, and its share of them.
    """

    records_in_s: float | None = None
    records_out_s: float | None = None
    busy: float | None = None
    busy_max: float | None = None
    busiest: int | None = None
    backpressure: float | None = None
    watermark: int | None = None
    watermark_lag_ms: float | None = None
    backlog: int | None = None
    keys: int | None = None
    state_bytes: int | None = None
    timers: int | None = None
    late: int | None = None
    partitions: Mapping[str, Mapping[str, Any]] = mapping()
    holds_back: str | int | None = None
    hot_key_groups: Sequence[Sequence[int]] = ()
    hot_key: Sequence[Any] | None = None


@dataclass(frozen=True)
class Bottleneck:
    """The busiest operator of a job.

    Attributes:
        operator: Its uid.
        name: Its name.
        busy: Share of the time in which its busiest subtask works, 0 to 1.
        subtask: Index of that subtask.
        key_group: Its hottest key group.
        key: Its hottest key, as text.
    """

    operator: str = ""
    name: str = ""
    busy: float | None = None
    subtask: int | None = None
    key_group: int | None = None
    key: str | None = None


@dataclass(frozen=True)
class JobMetrics:
    """Statistics of a job.

    Attributes:
        samples: Statistics over time, oldest first.
        seq: Number of the last sample; give it as ``since`` to get later ones only.
        operators: Statistics at present by operator's uid.
        bottleneck: The busiest operator, if one is busy.
        backpressured: Whether the job gets more than it can work off.
    """

    samples: tuple[Sample, ...] = made(all_of(Sample), ())
    seq: int | None = None
    operators: Mapping[str, OperatorFigures] = field(default_factory=dict, metadata={"of": each_of(OperatorFigures)})
    bottleneck: Bottleneck | None = made(reader(Bottleneck))
    backpressured: bool = False
