"""Opening user functions where they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from datastream.table.functions.user_functions import FunctionContext


class _JobParameters(Mapping[str, str]):
    """The job's parameters, as a runtime context has them. They can only be looked up."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def get(self, key: str, default: Any = None) -> Any:
        return self._context.get_job_parameter(key, default)

    def __getitem__(self, key: str) -> str:
        found: str | None = self._context.get_job_parameter(key, None)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def context_arguments(context: Any) -> tuple[Any, ...]:
    """What a `FunctionContext` is made of, by the runtime context of the operator."""
    return (
        context.get_metrics_group(),
        _JobParameters(context),
        context.get_task_name(),
        context.get_task_name_with_subtasks(),
        context.get_number_of_parallel_subtasks(),
        context.get_max_number_of_parallel_subtasks(),
        context.get_index_of_this_subtask(),
        context.get_attempt_number(),
    )


@dataclass(frozen=True)
class Opened:
    """A user's function that is opened and closed with the operator.

    Attributes:
        function: It.
    """

    function: Any

    def open(self, context: Any) -> None:
        """Open it."""
        if hasattr(self.function, "open"):
            self.function.open(FunctionContext(*context_arguments(context)))

    def close(self) -> None:
        """Close it."""
        if hasattr(self.function, "close"):
            self.function.close()
