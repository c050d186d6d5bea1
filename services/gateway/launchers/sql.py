"""Jobs of sessions of SQL, which their sessions' processes run; they are watched and steered, not started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..log_lines import last_word
from .ended import read_ended, write_ended
from .launcher import Alive, Ended, Launch, State
from .process_identity import lives, memory_of
from .processes import read_lines
from .refusal import LaunchRefused
from .sql_notes import SqlNotes

#: The exit code of a job whose session's process was killed, as shells have it. No driver is started in its place.
_KILLED = 137
_STARTS_NONE = "it starts no jobs: it watches those of sessions of SQL"
_LOST = "the process of the job's session has ended before the job: it was killed"


class SqlLauncher:
    """Watches the jobs of sessions.

    Args:
        notes: Of the sessions, on their jobs.
        savepoints: The folder of all jobs' savepoints.
    """

    name = "sql"

    def __init__(self, notes: SqlNotes, savepoints: Path) -> None:
        self._notes, self._savepoints = notes, savepoints

    def availability(self) -> str | None:
        return _STARTS_NONE

    def checkpoint_dir(self, folder: Path) -> str:
        return ""  # none of its jobs is started

    def savepoint_dir(self, job: str, folder: Path) -> str:
        return str(self._savepoints / job)

    def start(self, launch: Launch) -> None:
        raise LaunchRefused(_STARTS_NONE)

    def state(self, launch: Launch) -> State:
        """Alive until the session has noted the job's end, or its process has gone."""
        ended = self._ended(launch)
        if ended is not None:
            return ended
        if lives(launch.settings["process"]):
            return Alive(launch.settings["url"])
        # The process may have noted it as its last.
        ended = self._ended(launch) or Ended(_KILLED, _LOST)
        write_ended(launch, ended)
        return ended

    def kill(self, launch: Launch) -> None:
        """Does nothing: the process runs other jobs, too. Who closes the session ends all of them."""

    def memory(self, launch: Launch) -> int | None:
        """That of the session."""
        process = launch.settings["process"]
        return memory_of(process["pid"]) if lives(process) else None

    def lines(self, launch: Launch, last: int | None, follow: Callable[[], bool] | None) -> Iterator[str]:
        """What the session's process has logged for this job, and for none; then how the job has ended."""
        word = self._notes.last_word(launch.job)
        if last and word is not None:
            last -= 1
        yield from read_lines(self._notes.log(launch.job), last, follow)
        word = self._notes.last_word(launch.job)
        if word is not None and last != 0:
            yield word

    def remove(self, launch: Launch) -> None:
        pass

    def forget(self, job: str, folder: Path) -> None:
        self._notes.forget(job)

    def pool(self) -> tuple[int, int] | None:
        return None

    def close(self) -> None:
        pass

    def _ended(self, launch: Launch) -> Ended | None:
        if (known := read_ended(launch)) is not None:
            return known
        line = self._notes.last_word(launch.job)
        found = None if line is None else last_word([line], launch.control_token)
        return None if found is None else Ended(int(found["code"]))
