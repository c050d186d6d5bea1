"""The log of a session's process, a file for each of its jobs."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict, deque
from contextlib import suppress
from pathlib import Path

from ..launchers.sql_notes import SqlNotes

#: A job's log that is larger is kept as ``.1``, and another one begun.
_LOG_BYTES = 8 << 20
#: Lines that wait until their job is known, or noted; the oldest go first.
_WAITING = 1000
#: Jobs that have ended for which lines may still come.
_ENDED = 20


class SessionLogs:
    """Hands each line to the job that it is of, and what is of no job to all that run.

    A job's lines are in memory until it is noted: the log of a query that soon ends is never a file.

    Args:
        notes: Know the jobs' files.
    """

    def __init__(self, notes: SqlNotes) -> None:
        self._notes = notes
        self._lock = threading.Lock()
        self._running: dict[str, _JobLog] = {}
        self._ended: OrderedDict[str, _JobLog] = OrderedDict()
        #: Lines of jobs that are not known yet.
        self._early: deque[tuple[str, str]] = deque(maxlen=_WAITING)

    def take(self, line: str) -> None:
        """Take a line of the process's log."""
        id = _job_of(line)
        with self._lock:
            if id is None:
                for log in self._running.values():
                    log.add(line)
            elif (known := self._running.get(id) or self._ended.get(id)) is not None:
                known.add(line)
            else:
                self._early.append((id, line))

    def begin(self, id: str) -> None:
        """A job runs."""
        with self._lock:
            log = self._running[id] = _JobLog(self._notes.log(id))
            for of, line in self._early:
                if of == id:
                    log.add(line)
            self._early = deque((each for each in self._early if each[0] != id), maxlen=_WAITING)

    def keep(self, id: str) -> None:
        """A job is noted: its log is in a file from now on."""
        with self._lock:
            self._running[id].keep()

    def end(self, id: str) -> None:
        """A job has ended; some lines of it may still come."""
        with self._lock:
            log = self._running.pop(id)
            if log.is_kept:
                self._ended[id] = log
                while len(self._ended) > _ENDED:
                    self._ended.popitem(last=False)


class _JobLog:
    """The log of a job.

    Args:
        file: Where it is once it is kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._waiting: deque[str] | None = deque(maxlen=_WAITING)

    @property
    def is_kept(self) -> bool:
        """Whether it is in its file."""
        return self._waiting is None

    def keep(self) -> None:
        waiting, self._waiting = self._waiting, None
        with suppress(OSError):
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            self._write("".join(f"{line}\n" for line in waiting or ()), os.O_CREAT)

    def add(self, line: str) -> None:
        if self._waiting is not None:
            self._waiting.append(line)
            return
        with suppress(OSError):  # the disk is full, or the job is no longer in the gateway's list
            self._write(f"{line}\n", 0)

    def _write(self, text: str, flags: int) -> None:
        with os.fdopen(os.open(self._file, os.O_WRONLY | os.O_APPEND | flags, 0o600), "ab") as out:
            out.write(text.encode("utf-8", "replace"))
            is_full = out.tell() > _LOG_BYTES
        if is_full:
            self._file.replace(self._file.with_name(f"{self._file.name}.1"))
            self._write("", os.O_CREAT)


def _job_of(line: str) -> str | None:
    """The id of the job that a line is of; None: of none."""
    if '"job_id"' not in line:
        return None
    with suppress(ValueError, RecursionError):
        found = json.loads(line)
        if isinstance(found, dict) and isinstance(id := found.get("job_id"), str):
            return id
    return None
