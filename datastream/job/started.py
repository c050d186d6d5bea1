"""The jobs that this process has started and whose end the script has not seen.

A script may start a job and end without waiting for it. Commands that run scripts wait then. A process of another kind,
such as ``python job.py`` or a prompt, ends with its script: it says what is lost, and ends its jobs in good order.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from datastream.errors import JobCancelled

from .handle import JobHandle

_LOGGER = logging.getLogger("datastream")
#: In which jobs have ended that are cancelled at the end of the process.
_CANCEL_S = 20.0
_LOST = (
    "the program ends, and with it the job '%s', which was still running: wait for it, by wait() of the result or "
    "get_job_execution_result().result() of its JobClient, or start the script with 'datastream run', which waits"
)

_lock = threading.Lock()
_changed = threading.Condition(_lock)
_starts = 0
_jobs: list[JobHandle] = []


@contextmanager
def starting() -> Iterator[None]:
    """Within the block, a job is being started, perhaps by a thread that is not waited for."""
    global _starts
    with _changed:
        _starts += 1
    try:
        yield
    finally:
        with _changed:
            _starts -= 1
            _changed.notify_all()


def is_starting() -> bool:
    """Whether a job is being started, so that it is none of `unheard` yet."""
    return _starts > 0


def wait_for_starts() -> bool:
    """Wait until no job is being started. False: none was."""
    with _changed:
        if not _starts:
            return False
        _changed.wait_for(lambda: not _starts)
        return True


def _forget() -> None:
    """In a process made by a fork: the jobs before are its parent's."""
    global _lock, _changed, _starts
    _lock = threading.Lock()
    _changed = threading.Condition(_lock)
    _starts = 0
    _jobs.clear()


os.register_at_fork(after_in_child=_forget)


def add(job: JobHandle) -> None:
    """A job of this process runs."""
    with _lock:
        _jobs[:] = [each for each in _jobs if _matters(each)]
        _jobs.append(job)
    atexit.unregister(end_all)
    atexit.register(end_all)  # again: before whatever the job itself has registered


def unheard() -> list[JobHandle]:
    """The jobs that run, and those that have failed without anybody having heard of it, in the order of their start."""
    with _lock:
        return [job for job in _jobs if _matters(job)]


def end_all() -> None:
    """End the jobs with the process, and say what is lost."""
    left = unheard()
    for job in left:
        if not job.future.done():
            if not job.ends_with_script:
                _LOGGER.warning(_LOST, job.name)
            job.begin_cancel()
        elif not isinstance(error := job.future.error, JobCancelled):
            _LOGGER.error("the job '%s' failed, and the script has not waited for it: %s", job.name, error)
    deadline = time.monotonic() + _CANCEL_S
    for job in left:
        job.join(max(0.0, deadline - time.monotonic()))


def _matters(job: JobHandle) -> bool:
    outcome = job.future
    return not outcome.done() or (outcome.error is not None and not outcome.heard)
