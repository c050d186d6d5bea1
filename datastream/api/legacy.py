"""What Flink's DataStream API had before version 2: `ExecutionEnvironment`, time characteristics, state backends."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from datastream.api.environment import StreamExecutionEnvironment
from datastream.config import Configuration, RuntimeExecutionMode
from datastream.errors import ValidationError, cut
from datastream.old_names import warn_of_old

__all__ = [
    "ExecutionEnvironment",
    "FsStateBackend",
    "MemoryStateBackend",
    "RocksDBStateBackend",
    "TimeCharacteristic",
]

_EVENT_TIME = "WatermarkStrategy alone: windows and timers say which time they are of"
_CHECKPOINTS = "--checkpoint-dir, or execution.checkpointing.dir: state is in Spark's state store"


class ExecutionEnvironment(StreamExecutionEnvironment):
    """A `StreamExecutionEnvironment` in batch mode, for `BatchTableEnvironment`."""

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> ExecutionEnvironment:
        """The environment of this script."""
        warn_of_old(
            "pyflink.dataset.ExecutionEnvironment", "EnvironmentSettings.in_batch_mode() for TableEnvironment.create"
        )
        env = ExecutionEnvironment(configuration)
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        return env


class TimeCharacteristic(Enum):
    """Which time a job is of. Has no effect: each window and timer says it."""

    ProcessingTime = 0
    IngestionTime = 1
    EventTime = 2


class MemoryStateBackend:
    """State in memory. Has no effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn_of_old(type(self).__name__, _CHECKPOINTS)


class FsStateBackend(MemoryStateBackend):
    """State in files. Has no effect."""


class RocksDBStateBackend(MemoryStateBackend):
    """State in RocksDB. Has no effect."""


def old_method(name: str) -> Callable[..., Any] | None:
    """The function of an old method of `StreamExecutionEnvironment`, which takes the environment first; or None."""
    return _METHODS.get(name)


def set_stream_time_characteristic(env: StreamExecutionEnvironment, characteristic: TimeCharacteristic) -> None:
    """Keep a time characteristic."""
    if not isinstance(characteristic, TimeCharacteristic):
        raise ValidationError(
            f"set_stream_time_characteristic: expected a TimeCharacteristic, got {cut(characteristic)}"
        )
    warn_of_old("StreamExecutionEnvironment.set_stream_time_characteristic", _EVENT_TIME)
    env.__dict__["_time_characteristic"] = characteristic


def get_stream_time_characteristic(env: StreamExecutionEnvironment) -> TimeCharacteristic:
    """The one that was set. Default: EventTime."""
    found: TimeCharacteristic = env.__dict__.get("_time_characteristic", TimeCharacteristic.EventTime)
    return found


def set_state_backend(env: StreamExecutionEnvironment, state_backend: Any) -> StreamExecutionEnvironment:
    """Keep a state backend."""
    warn_of_old("StreamExecutionEnvironment.set_state_backend", _CHECKPOINTS)
    env.__dict__["_state_backend"] = state_backend
    return env


def get_state_backend(env: StreamExecutionEnvironment) -> Any:
    """The one that was set."""
    return env.__dict__.get("_state_backend")


_METHODS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        get_state_backend,
        get_stream_time_characteristic,
        set_state_backend,
        set_stream_time_characteristic,
    )
}
