"""The jobs that a script has started and not waited for: they go on after its end, as they do on a Flink cluster."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Collection
from queue import SimpleQueue

from datastream.errors import JobCancelled
from datastream.job import started
from datastream.job.handle import JobHandle

_LOGGER = logging.getLogger("datastream")


def wait_for_jobs(
    failed: bool, report: Callable[[BaseException], None], others: Collection[threading.Thread] = ()
) -> list[BaseException]:
    """Wait until all jobs of the process have ended, and the script's threads, which may start jobs yet.

    A failure ends the jobs that have no end of their own, so that whoever has started the script hears of it. Jobs that
    have one run to it.

    Args:
        failed: The script has failed.
        report: Notified of each failure of a job as it comes, unless the script has heard of it.
        others: Threads that are not the script's.

    Returns:
        What was reported.

    Raises:
        KeyboardInterrupt: The end was requested; the jobs still run.
    """
    failures: list[BaseException] = []
    ended: SimpleQueue[JobHandle] = SimpleQueue()
    waited_for: list[JobHandle] = []
    while True:
        for job in started.unheard():  # threads of the script may start others meanwhile
            if job not in waited_for:
                waited_for.append(job)
                _leave_alone(job)
                job.future.add_done_callback(lambda _, job=job: ended.put(job))  # type: ignore[misc]
        if failed:
            _end_endless()
        if not waited_for:
            if _wait_for_a_thread(others):
                continue
            return failures
        job = ended.get()
        job.join()  # it lets go of what it held
        waited_for.remove(job)
        error = job.future.error
        job.future.heard = True
        if error is not None:
            report(error)
            failures.append(error)
            failed = failed or not isinstance(error, JobCancelled)


def _wait_for_a_thread(others: Collection[threading.Thread]) -> bool:
    """Wait for the end of a thread of the script, as Python itself does before it ends. False: there is none."""
    # Those of pools end with the process only.
    pools = {
        thread
        for kind, threads in (("thread", "_threads_queues"), ("process", "_threads_wakeups"))
        for thread in getattr(sys.modules.get(f"concurrent.futures.{kind}"), threads, ())
    }
    for thread in threading.enumerate():
        if not (thread.daemon or thread in others or thread in pools or thread is threading.current_thread()):
            thread.join()
            return True
    return started.wait_for_starts()


def cancel_jobs() -> None:
    """End all jobs of the process, after what they have committed."""
    left = started.unheard()
    for job in left:
        job.begin_cancel()
    for job in left:
        job.join()
        job.future.heard = True


def _leave_alone(job: JobHandle) -> None:
    """The script takes no rows any more: those of a query have nowhere to go."""
    if job.reader is None:
        return
    if job.ends_with_script and not job.future.done():
        if not job.reader.begun:
            _LOGGER.warning("the script has not taken the rows of the query '%s', which ends with it", job.name)
        job.begin_cancel()
    job.reader.drop()


def _end_endless() -> None:
    """End the jobs without an end after the epoch in progress, where they continue if they are started again."""
    for job in started.unheard():
        if not (job.bounded or job.ending or job.future.done()):
            _LOGGER.warning("the job '%s', which has no end of its own, is ended because of the failure", job.name)
            job.end_after_epoch()
