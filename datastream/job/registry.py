"""Which jobs run on this machine, and how to reach their drivers.

A running job has a note, readable by its user alone, in the user's cache folder and in its checkpoint directory. A note
of a driver that was killed stays, until a search for jobs finds no process for it.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from datastream.errors import JobNotFound, cut

#: The note in a checkpoint directory.
NOTE = "control.json"
#: Below the checkpoint directory of a script's first job: the folders of the others.
JOBS = "jobs"
_SHORTEST_ID = 4


@dataclass(frozen=True)
class JobNote:
    """How to reach a job's driver.

    Attributes:
        id: The job's id.
        name: The job's name.
        pid: The driver's process.
        address: Its control socket.
        authkey: Who knows it may give orders; hexadecimal.
        checkpoint: The checkpoint directory; None: a temporary one.
        started_ms: When the driver started the job, in ms since 1970.
    """

    id: str
    name: str
    pid: int
    address: str
    authkey: str
    checkpoint: str | None
    started_ms: int

    @property
    def alive(self) -> bool:
        """Whether its driver runs."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return os.path.exists(self.address)


def folder() -> Path:
    """Where the notes of this user's jobs are."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datastream" / "jobs"


class Registration:
    """The notes of a running job; removed at its end."""

    def __init__(self, note: JobNote) -> None:
        self._note = note
        self._files = [folder() / f"{note.id}-{secrets.token_hex(4)}.json"]
        if note.checkpoint is not None and "://" not in note.checkpoint:
            self._files.append(Path(note.checkpoint, NOTE))
        for file in self._files:
            with suppress(OSError):  # a home that cannot be written to keeps no job from running
                file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _write(file, note)

    def remove(self) -> None:
        for file in self._files:
            with suppress(OSError):
                if _read(file) == self._note:  # else the checkpoint directory is another job's by now
                    file.unlink()


def running_jobs() -> list[JobNote]:
    """The jobs of this user that run on this machine, those that started first come first."""
    found = []
    with suppress(OSError):
        for file in folder().glob("*.json"):
            note = _read(file)
            if note is not None and note.alive:
                found.append(note)
            elif note is not None:
                with suppress(OSError):
                    file.unlink()
    return sorted(found, key=lambda note: note.started_ms)


def find_job(job: str) -> JobNote:
    """The running job of a checkpoint directory, or of an id, or of the first digits of one.

    A folder of generations has its job in the one with the highest number. Several jobs of a script may have folders
    below the one of the first.

    Raises:
        JobNotFound: No such job runs on this machine.
    """
    path = job.removeprefix("file://")
    if os.path.isdir(path):
        running = [note for each in (Path(path), *sorted(Path(path, JOBS).glob("*"))) if (note := _job_on(each))]
        if not running:
            raise JobNotFound(f"no job runs on the checkpoint directory {path} on this machine")
        if len(running) > 1:
            ids = ", ".join(f"{note.id} ('{note.name}')" for note in running)
            raise JobNotFound(f"{len(running)} jobs of a script run on {path}: give the id of one of them: {ids}")
        return running[0]
    jobs = running_jobs()
    found = [note for note in jobs if note.checkpoint == job or note.id == job]
    if not found and len(job) >= _SHORTEST_ID:
        found = [note for note in jobs if note.id.startswith(job)]
    if len(found) == 1:
        return found[0]
    if found:
        raise JobNotFound(f"{len(found)} running jobs fit {cut(job)}; give the whole id, or the checkpoint directory")
    raise JobNotFound(
        f"{cut(job)} is neither a checkpoint directory nor the id of a job that runs on this machine; "
        "`datastream list` shows the running jobs. Jobs of a gateway: `datastream jobs`"
    )


def _job_on(path: Path) -> JobNote | None:
    """The running job of a checkpoint directory, or of its newest generation."""
    notes = (_read(each / NOTE) for each in (path, *_newest_generation(path)))
    return next((note for note in notes if note is not None and note.alive), None)


def _newest_generation(path: Path) -> list[Path]:
    """The folder ``1``, ``2`` or so on with the highest number; empty if there is none."""
    with suppress(OSError):
        return sorted((one for one in path.iterdir() if one.name.isdecimal()), key=lambda one: int(one.name))[-1:]
    return []


def _write(file: Path, note: JobNote) -> None:
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump(asdict(note), out)
    os.replace(temporary, file)


def _read(file: Path) -> JobNote | None:
    try:
        return JobNote(**json.loads(file.read_text()))
    except (OSError, ValueError, TypeError):  # gone, or of another version
        return None
