"""The classes that users' functions of the Table API are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from datastream.errors import UnsupportedOperation
from datastream.table.types.logical_types import DataType

if TYPE_CHECKING:
    from datastream.metrics import MetricGroup

T = TypeVar("T")
ACC = TypeVar("ACC")


@dataclass(eq=False)
class UserFunction:
    """A user's function, with its types.

    Attributes:
        name: In plans, where it is unique.
        kind: ``scalar``, ``table``, ``aggregate``, ``table_aggregate``, ``async``.
        function: An object with ``eval``, or ``create_accumulator``, ``accumulate`` and so on; ``open`` and ``close``.
        result_type: Of a value; of ``table`` the row of its columns, which are ``f0``, ``f1`` ... by default.
        input_types: Of the arguments; None: any.
        accumulator_type: Of an aggregate's accumulator; None: any object that can be pickled.
        pandas: Arguments are Series: of ``scalar`` those of many rows, of ``aggregate`` those of the group.
        deterministic: It returns the same for the same arguments.
    """

    name: str
    kind: str
    function: Any
    result_type: DataType
    input_types: list[DataType] | None = None
    accumulator_type: DataType | None = None
    pandas: bool = False
    deterministic: bool = True

    def __str__(self) -> str:
        return self.name


class FunctionContext:
    """What a function knows of where it runs.

    Args:
        base_metric_group: For the function's metrics.
        job_parameters: The job's global parameters.
        task_name: The task.
        task_name_with_subtasks: The task and its number.
        number_of_parallel_subtasks: How many tasks of the kind there are.
        max_number_of_parallel_subtasks: The number of key groups.
        index_of_this_subtask: Which task it is, from 0.
        attempt_number: 0 at first; one more for each restart.
    """

    def __init__(
        self,
        base_metric_group: MetricGroup | None,
        job_parameters: Mapping[str, str],
        task_name: str | None = None,
        task_name_with_subtasks: str | None = None,
        number_of_parallel_subtasks: int | None = None,
        max_number_of_parallel_subtasks: int | None = None,
        index_of_this_subtask: int | None = None,
        attempt_number: int | None = None,
    ) -> None:
        self._metrics, self._parameters = base_metric_group, job_parameters
        self._task, self._subtask = task_name, task_name_with_subtasks
        self._parallelism, self._max_parallelism = number_of_parallel_subtasks, max_number_of_parallel_subtasks
        self._index, self._attempt = index_of_this_subtask, attempt_number

    def get_metric_group(self) -> MetricGroup:
        """Where the function's metrics are registered.

        Raises:
            RuntimeError: there are no metrics here.
        """
        if self._metrics is None:
            raise RuntimeError("metrics are not available where this function runs")
        return self._metrics

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """A global parameter of the job, or the default."""
        return self._parameters.get(key, default_value)

    def get_task_name(self) -> str | None:
        """The name of the task."""
        return self._task

    def get_task_name_with_subtasks(self) -> str | None:
        """The name of the task with its number."""
        return self._subtask

    def get_number_of_parallel_subtasks(self) -> int | None:
        """How many tasks of the kind there are."""
        return self._parallelism

    def get_max_number_of_parallel_subtasks(self) -> int | None:
        """The number of key groups."""
        return self._max_parallelism

    def get_index_of_this_subtask(self) -> int | None:
        """Which task it is, from 0."""
        return self._index

    def get_attempt_number(self) -> int | None:
        """0 at first; one more for each restart."""
        return self._attempt


class UserDefinedFunction:
    """Base of all functions."""

    def open(self, function_context: FunctionContext) -> None:
        """Called once in each task, before anything else."""

    def close(self) -> None:
        """Called once in each task, at its end."""

    def is_deterministic(self) -> bool:
        """Whether it returns the same for the same arguments. Default: it does."""
        return True


class ScalarFunction(UserDefinedFunction, ABC):
    """One value for each row."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The value."""


class AsyncScalarFunction(UserDefinedFunction, ABC):
    """One value for each row, awaited."""

    @abstractmethod
    async def eval(self, *args: Any) -> Any:
        """The value."""


class TableFunction(UserDefinedFunction, ABC):
    """Any number of rows for each row."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The rows: an iterable, a generator, or None for none."""


class ImperativeAggregateFunction(UserDefinedFunction, ABC, Generic[T, ACC]):
    """A function of all rows of a group, by an accumulator."""

    @abstractmethod
    def create_accumulator(self) -> ACC:
        """An accumulator without rows."""

    @abstractmethod
    def accumulate(self, accumulator: ACC, *args: Any) -> None:
        """Take a row in."""

    def retract(self, accumulator: ACC, *args: Any) -> None:
        """Take a row out again; needed where the input has updates."""
        raise UnsupportedOperation(
            f"{type(self).__name__} has no retract(accumulator, *args), which it needs where its input has updates"
        )

    def merge(self, accumulator: ACC, accumulators: Iterable[ACC]) -> None:
        """Take other accumulators in; needed for session windows."""
        raise UnsupportedOperation(
            f"{type(self).__name__} has no merge(accumulator, accumulators), which it needs in session windows"
        )

    def get_result_type(self) -> DataType | str:
        """The type of the result, if it is not given to `udaf` or `udtaf`."""
        raise UnsupportedOperation(f"{type(self).__name__} has no get_result_type(): give result_type")

    def get_accumulator_type(self) -> DataType | str:
        """The type of the accumulator, if it is not given to `udaf` or `udtaf`."""
        raise UnsupportedOperation(f"{type(self).__name__} has no get_accumulator_type(): give accumulator_type")


class AggregateFunction(ImperativeAggregateFunction[T, ACC]):
    """One value for each group of rows."""

    @abstractmethod
    def get_value(self, accumulator: ACC) -> T:
        """The value of an accumulator."""


class TableAggregateFunction(ImperativeAggregateFunction[T, ACC]):
    """Any number of rows for each group of rows."""

    @abstractmethod
    def emit_value(self, accumulator: ACC) -> Iterable[T]:
        """The rows of an accumulator."""
