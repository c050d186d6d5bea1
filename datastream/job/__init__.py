"""What a submitted job is known by: its id, status, futures and result."""

from datastream.job.completable_future import CompletableFuture
from datastream.job.job_execution_result import JobExecutionResult
from datastream.job.job_id import JobID
from datastream.job.job_status import JobStatus

__all__ = ["CompletableFuture", "JobExecutionResult", "JobID", "JobStatus"]
