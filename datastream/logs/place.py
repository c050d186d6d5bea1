"""Which job, subtask and epoch the present thread works for; its operator is looked up when something is logged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import NamedTuple


class RunningOperator(NamedTuple):
    """An operator at work.

    Attributes:
        name: Its name.
        uid: Its uid.
        subtasks: Their number.
    """

    name: str
    uid: str
    subtasks: int


@dataclass(frozen=True)
class Place:
    """Where code of a job runs.

    Attributes:
        job: Name of the job.
        find: The operator that a stack of frames belongs to, given the innermost; None: to no operator.
        subtask: Index of the subtask; None beside the driver.
        epoch: Number of the epoch, if one is under way.
        id: The job's id.
    """

    job: str
    find: Callable[[FrameType | None], RunningOperator | None] = lambda _: None
    subtask: int | None = None
    epoch: int | None = None
    id: str | None = None

    def fields(self, frame: FrameType | None) -> dict[str, str | int]:
        """What a log says of this place, for a message from a frame."""
        found: dict[str, str | int] = {"job": self.job}
        if self.id is not None:
            found["job_id"] = self.id
        operator = self.find(frame)
        if operator is not None:
            found["operator"], found["uid"] = operator.name, operator.uid
        if self.subtask is not None:
            # A source may use more tasks than it has subtasks.
            found["subtask"] = self.subtask if operator is None else self.subtask % operator.subtasks
        if self.epoch is not None:
            found["epoch"] = self.epoch
        return found


class _OfThread(threading.local):
    place: Place | None = None


_of_thread = _OfThread()
_of_others: Place | None = None


def enter(place: Place | None) -> Place | None:
    """The present thread works at a place from now on, or for no job; so do the threads that functions start.

    Returns:
        Where it worked before.
    """
    global _of_others
    before = _of_thread.place
    if place is not None or _of_others is before:
        _of_others = place
    _of_thread.place = place
    return before


@contextmanager
def at(place: Place) -> Iterator[None]:
    """The present thread works at a place for a while."""
    before = enter(place)
    try:
        yield
    finally:
        enter(before)


def current() -> Place | None:
    """Where the present thread works; None: not for a job."""
    if _of_thread.place is not None or threading.current_thread() is threading.main_thread():
        return _of_thread.place
    return _of_others
