"""Notes of sessions of SQL on their jobs, by which a gateway finds them and their ends, also one that starts later."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

#: Bytes of a note; what is larger is no note.
_MOST_BYTES = 6 << 20
_ID = re.compile("[0-9a-f]{32}")
_BEGUN, _ENDED, _LOG = ".job.json", ".end.json", ".log.jsonl"


@dataclass(frozen=True)
class SqlJob:
    """A job that a session has started.

    Attributes:
        id: The job's.
        name: Its name.
        statement: What it carries out.
        session: Its session's handle.
        process: The `identity` of the session's process.
        url: Of the job's pages there.
        control_token: Who knows it may steer the job.
        started_ms: When it was started, in ms since 1970.
        properties: The settings of the session. They may hold secrets, as the statement may.
    """

    id: str
    name: str
    statement: str = field(repr=False)
    session: str
    process: Mapping[str, Any]
    url: str
    control_token: str = field(repr=False)
    started_ms: int
    properties: Mapping[str, str] = field(repr=False)


class SqlNotes:
    """The notes of all sessions of a gateway.

    Args:
        folder: Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, job: SqlJob) -> None:
        """Note that a job runs."""
        self._write(job.id + _BEGUN, json.dumps(asdict(job)))

    def end(self, job: str, last_word: str) -> None:
        """Note how a job has ended.

        Args:
            job: Its id.
            last_word: A line as drivers log it at their end.
        """
        self._write(job + _ENDED, last_word)

    def begun(self) -> list[SqlJob]:
        """The jobs that were noted, and not taken yet, in the order of their starts."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:  # no session has had a job
            return []
        found = [self._job(name.removesuffix(_BEGUN)) for name in names if name.endswith(_BEGUN)]
        return sorted((job for job in found if job is not None), key=lambda job: job.started_ms)

    def take(self, job: str) -> None:
        """Drop the note that a job runs: it is in the database now."""
        self._file(job + _BEGUN).unlink(missing_ok=True)

    def last_word(self, job: str) -> str | None:
        """How a job has ended; None: it has not, or its process was killed."""
        return self._read(job + _ENDED)

    def log(self, job: str) -> Path:
        """The file of a job's log; ``.1`` is what was before.

        Args:
            job: Its id.
        """
        return self._file(job + _LOG)

    def forget(self, job: str) -> None:
        """Drop all notes of a job, and its log."""
        for kind in (_BEGUN, _ENDED, _LOG, f"{_LOG}.1"):
            self._file(job + kind).unlink(missing_ok=True)

    def _job(self, id: str) -> SqlJob | None:
        text = self._read(id + _BEGUN)
        if text is None or _ID.fullmatch(id) is None:
            return None
        try:
            job = SqlJob(**json.loads(text))
        except (ValueError, TypeError):  # damaged, or of another version
            return None
        return job if job.id == id else None

    def _file(self, name: str) -> Path:
        return self._folder / name

    def _read(self, name: str) -> str | None:
        with suppress(FileNotFoundError), self._file(name).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
            return content.decode("utf-8", "replace") if len(content) <= _MOST_BYTES else None
        return None

    def _write(self, name: str, text: str) -> None:
        """Write a note; whoever reads it sees all of it, or none. Its owner alone may read it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        temporary = self._file(f".{name}.new")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.write(text)
        os.replace(temporary, self._file(name))
