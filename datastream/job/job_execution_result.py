"""What a finished job leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datastream.job.job_id import JobID


@dataclass(frozen=True)
class JobExecutionResult:
    """The result of a job.

    Attributes:
        job_id: The job.
        net_runtime: How long it ran, without its preparation, in ms.
        accumulators: The accumulators' values by name.
    """

    job_id: JobID
    net_runtime: int
    accumulators: Mapping[str, Any] = field(default_factory=dict)

    def get_job_id(self) -> JobID:
        """Return the id of the job."""
        return self.job_id

    def get_net_runtime(self) -> int:
        """Return how long the job ran, without its preparation, in ms."""
        return self.net_runtime

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        """Return the value of an accumulator, or None when the job had none of this name."""
        return self.accumulators.get(accumulator_name)

    def get_all_accumulator_results(self) -> dict[str, Any]:
        """Return the values of all accumulators by name."""
        return dict(self.accumulators)

    def is_job_execution_result(self) -> bool:
        """Whether the job has run to its end; true for every instance of this class."""
        return True

    def __str__(self) -> str:
        return f"Job {self.job_id} has finished; net runtime {self.net_runtime} ms."
