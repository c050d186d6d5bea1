"""What a started job returns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any

from datastream.job import CompletableFuture, JobExecutionResult, JobID, JobStatus
from datastream.job.handle import JobHandle
from datastream.job.job_outcome import JobOutcome
from datastream.job.registry import find_job
from datastream.job.remote_job import RemoteJob

if TYPE_CHECKING:
    from datastream.connectors.collect_sink import CollectSink


class JobClient:
    """A running job. See ``pyflink.common.JobClient``."""

    def __init__(self, handle: JobHandle | RemoteJob) -> None:
        self._handle = handle

    @staticmethod
    def connect(job: str) -> JobClient:
        """A client of a job that another process of this machine runs, on Spark. An addition to PyFlink's names.

        Args:
            job: The job's checkpoint directory, or its id.

        Raises:
            JobNotFound: no such job runs on this machine.
        """
        return JobClient(RemoteJob(find_job(job)))

    def get_job_id(self) -> JobID:
        """The job's id; it stays the same when the job is restarted from its checkpoint directory."""
        return self._handle.job_id

    def get_job_status(self) -> CompletableFuture[JobStatus]:
        """RUNNING, RESTARTING, FINISHED, FAILED, CANCELLING or CANCELED."""
        return CompletableFuture.completed(self._handle.status)

    def cancel(self) -> CompletableFuture[None]:
        """End the job; what it has committed stays."""
        self._handle.cancel()
        return CompletableFuture.completed(None)

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> CompletableFuture[str]:
        """End the job after the epoch in progress, and write its state to a new folder in a directory.

        Args:
            advance_to_end_of_event_time: Let the sources end where they are, so that all timers and windows fire. The
                job has finished.
            savepoint_directory: Default: ``execution.checkpointing.savepoint-dir``.

        Returns:
            The savepoint's folder, once it is there and the job has ended.
        """
        return _in_background(self._stop_with_savepoint, advance_to_end_of_event_time, savepoint_directory)

    def _stop_with_savepoint(self, drain: bool, directory: str | None) -> str:
        folder = self._handle.stop_with_savepoint(drain, directory)
        if isinstance(self._handle, JobHandle):  # another process answers when its job has ended
            wait([self._handle.future])
        return folder

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture[str]:
        """Write the job's state, as of its last committed epoch, to a new folder in a directory; the job goes on.

        Args:
            savepoint_directory: Default: ``execution.checkpointing.savepoint-dir``.

        Returns:
            The savepoint's folder, once it is there.
        """
        return _in_background(self._handle.trigger_savepoint, savepoint_directory)

    def get_accumulators(self) -> CompletableFuture[dict[str, Any]]:
        """``records_in``, ``records_out`` and the job's own metrics, of all epochs that are committed so far."""
        return CompletableFuture.completed(self._handle.accumulators)

    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """The job's result, once it has ended."""
        return CompletableFuture(self._handle.future)


def handle_of(client: JobClient) -> JobHandle | RemoteJob:
    """What a client's calls go to."""
    return client._handle  # noqa: SLF001 - users have the client


def client_of(iterator: CloseableIterator) -> JobClient:
    """The client of the job that produces some records."""
    return iterator._client  # noqa: SLF001 - users close the iterator


def _in_background(function: Callable[..., str], *args: Any) -> CompletableFuture[str]:
    """The result of a call that takes long."""
    future: Future[str] = Future()

    def call() -> None:
        try:
            future.set_result(function(*args))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=call, name="datastream-savepoint", daemon=True).start()
    return CompletableFuture(future)


class CloseableIterator(Iterator[Any]):
    """The records of a stream, as they are committed. Closing it ends the job."""

    def __init__(self, client: JobClient, sink: CollectSink) -> None:
        self._client, self._sink = client, sink
        self._handle = handle_of(client)
        self._closed = self.begun = False
        if isinstance(self._handle, JobHandle):
            self._handle.reader = self
        self._handle.future.add_done_callback(self._ended)

    def __next__(self) -> Any:
        if self._closed:
            raise StopIteration
        self.begun = True
        try:
            return next(self._sink)
        except StopIteration:
            raise
        except Exception:
            self._heard()
            raise

    def next(self) -> Any:
        """The next record; waits for it."""
        return next(self)

    def close(self) -> None:
        """End the job, if it has not ended yet, and the iteration: records that have not been taken are dropped."""
        self._closed = True
        if not self._handle.future.done():
            self._client.cancel()
        self._heard()

    def drop(self) -> None:
        self._sink.drop()

    def __enter__(self) -> CloseableIterator:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _heard(self) -> None:
        if isinstance(self._handle, JobHandle):
            self._handle.future.heard = True

    def _ended(self, future: Future[JobExecutionResult]) -> None:
        if isinstance(future, JobOutcome):
            self._sink.close(future.error)
        else:
            self._sink.close(None if future.cancelled() else future.exception())
