"""What a function can learn about the task it runs in."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from datastream.environments.enter import CACHE
from datastream.missing_names import AdvisedNames

from .distributed_cache import DistributedCache

if TYPE_CHECKING:
    from datastream.state import (
        AggregatingState,
        AggregatingStateDescriptor,
        ListState,
        ListStateDescriptor,
        MapState,
        MapStateDescriptor,
        ReducingState,
        ReducingStateDescriptor,
        ValueState,
        ValueStateDescriptor,
    )


class RuntimeContext(AdvisedNames, ABC):
    """The task's facts, its job parameters, metrics and, on a keyed stream, its state."""

    _remedies: ClassVar[dict[str, str]] = {
        "get_value_state": "call get_state(ValueStateDescriptor(...))",
        "get_metric_group": "call get_metrics_group()",
    }

    @abstractmethod
    def get_task_name(self) -> str:
        """Return the name of the task."""

    @abstractmethod
    def get_number_of_parallel_subtasks(self) -> int:
        """Return the parallelism of the task."""

    @abstractmethod
    def get_max_number_of_parallel_subtasks(self) -> int:
        """Return the max parallelism of the task: the number of key groups."""

    @abstractmethod
    def get_index_of_this_subtask(self) -> int:
        """Return the number of this subtask, from 0 to parallelism - 1."""

    @abstractmethod
    def get_attempt_number(self) -> int:
        """Return how many times this subtask was tried before; the first attempt is 0."""

    @abstractmethod
    def get_task_name_with_subtasks(self) -> str:
        """Return the task's name with its subtask, such as "MyTask (3/6)"; subtasks count from 1."""

    @abstractmethod
    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Return a global job parameter, or the default value when it is not set."""

    def get_distributed_cache(self) -> DistributedCache:
        """Return the files of ``env.register_cached_file``; Java's users know it by this name."""
        return DistributedCache(os.environ.get(CACHE))

    @abstractmethod
    def get_metrics_group(self) -> Any:
        """Return the metric group, which registers counters, gauges, meters and distributions."""

    @abstractmethod
    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState[Any]:
        """Return the `ValueState` of a `ValueStateDescriptor`; only on a keyed stream."""

    @abstractmethod
    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState[Any]:
        """Return the `ListState` of a `ListStateDescriptor`; only on a keyed stream."""

    @abstractmethod
    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState[Any, Any]:
        """Return the `MapState` of a `MapStateDescriptor`; only on a keyed stream."""

    @abstractmethod
    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState[Any]:
        """Return the `ReducingState` of a `ReducingStateDescriptor`; only on a keyed stream."""

    @abstractmethod
    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState[Any, Any]:
        """Return the `AggregatingState` of an `AggregatingStateDescriptor`; only on a keyed stream."""
