"""What a started job gives back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from datastream.errors import UnsupportedOperation
from datastream.job import CompletableFuture, JobExecutionResult, JobID, JobStatus
from datastream.job.handle import JobHandle

if TYPE_CHECKING:
    from datastream.connectors.collect_sink import CollectSink


class JobClient:
    """A running job. See ``pyflink.common.JobClient``."""

    def __init__(self, handle: JobHandle) -> None:
        self._handle = handle

    def get_job_id(self) -> JobID:
        """The job's id; it stays the same when the job is restarted from its checkpoint folder."""
        return self._handle.job_id

    def get_job_status(self) -> CompletableFuture[JobStatus]:
        """RUNNING, FINISHED, FAILED, CANCELLING or CANCELED."""
        return CompletableFuture.completed(self._handle.status)

    def cancel(self) -> CompletableFuture[None]:
        """End the job; what it has committed stays."""
        self._handle.cancel()
        return CompletableFuture.completed(None)

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> CompletableFuture[str]:
        """Not there yet."""
        raise UnsupportedOperation("savepoints are not there yet; a job goes on from its --checkpoint-dir")

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture[str]:
        """Not there yet."""
        raise UnsupportedOperation("savepoints are not there yet; a job goes on from its --checkpoint-dir")

    def get_accumulators(self) -> CompletableFuture[dict[str, Any]]:
        """``records_in`` and ``records_out`` of an ended job; empty while it runs."""
        future = self._handle.future
        done = future.done() and future.exception() is None
        return CompletableFuture.completed(future.result().get_all_accumulator_results() if done else {})

    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """The job's result, once it has ended."""
        return CompletableFuture(self._handle.future)


class CloseableIterator(Iterator[Any]):
    """The records of a stream, as they are committed. Closing it ends the job."""

    def __init__(self, client: JobClient, sink: CollectSink) -> None:
        self._client, self._sink = client, sink
        self._closed = False
        client._handle.future.add_done_callback(self._ended)

    def __next__(self) -> Any:
        if self._closed:
            raise StopIteration
        return next(self._sink)

    def next(self) -> Any:
        """The next record; waits for it."""
        return next(self)

    def close(self) -> None:
        """End the job, if it has not ended yet, and the iteration: records that nobody has taken are dropped."""
        self._closed = True
        if not self._client._handle.future.done():
            self._client.cancel()

    def __enter__(self) -> CloseableIterator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _ended(self, future: Future[JobExecutionResult]) -> None:
        self._sink.close(None if future.cancelled() else future.exception())
