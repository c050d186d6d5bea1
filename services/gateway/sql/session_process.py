"""The process of a session: carries out its statements.

``python -m datastream.services.gateway.sql.session_process FD``: FD is a socket on which the gateway asks and hears, in
lines of JSON. The first line has the session's handle and properties, and the folder of the notes on its jobs; when the
socket is closed, the session ends. Jobs of INSERTs that have an end are waited for then, the others are ended.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from datastream.config.settings import settings
from datastream.job.handle import JobHandle

#: Which executor jobs have: a property of a session.
EXECUTOR = "datastream.executor"


def main(fd: int) -> None:
    """Serve the gateway until it closes the socket, then end the process."""
    os.dup2(2, 1)  # what jobs print goes to the log
    others = threading.enumerate()
    with socket.socket(fileno=fd) as channel, channel.makefile("rwb") as lines:
        asked = iter(lines.readline, b"")
        try:
            session = _Session(**json.loads(next(asked)))
        except Exception as error:
            _say(lines, {"error": str(error)})
            return
        _say(lines, {})
        for line in asked:
            _say(lines, session.answer(json.loads(line)))
    session.end(others)


class _Session:
    """What the gateway may ask of a session.

    Args:
        handle: The session's.
        properties: Its settings.
        notes: The folder of the notes on its jobs.
    """

    def __init__(self, handle: str, properties: dict[str, str], notes: str) -> None:
        from datastream.compat import install
        from datastream.driver.imports import enter_driver
        from datastream.errors import ValidationError

        given = settings()
        executor = properties.pop(EXECUTOR, "spark")
        if executor not in ("spark", "local"):
            raise ValidationError(f"{EXECUTOR} must be spark or local, got {executor[:100]!r}")
        given.executor = executor
        given.log_format = "json"
        given.properties.update(properties)
        enter_driver(given)
        install()  # modules of functions import pyflink
        from datastream.logs import job_log

        from ..launchers.sql_notes import SqlNotes
        from .operations import Operations
        from .session_jobs import SessionJobs

        self._operations = Operations()
        self._statements = self._operations.statements
        config = self._statements.t_env.get_config()
        self._jobs = SessionJobs(
            SqlNotes(Path(notes)), handle, lambda: self._statements.carried_out, lambda: config.to_map()
        )
        given.on_options, given.on_started = self._jobs.prepare, self._started
        job_log.as_json(logging.INFO)
        job_log.follow(self._jobs.logs.take)
        self._asked: Mapping[str, Callable[..., Any]] = {
            "submit": self._operations.submit,
            "status": self._operations.status,
            "fetch": self._operations.fetch,
            "cancel": self._operations.cancel,
            "close": self._operations.close,
            "busy": lambda: self._operations.busy,
            "properties": lambda: self._statements.t_env.get_config().to_map(),
            "complete": self._complete,
            "split": _split,
        }

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request: ``{"answer": ...}`` or ``{"error": why}``."""
        from .operations import OperationFailed

        try:
            return {"answer": self._asked[request.pop("do")](**request)}
        except OperationFailed as error:
            return {"error": str(error)}

    def end(self, others: list[threading.Thread]) -> None:
        """End the session: its queries, and those of its jobs that have no end."""
        from datastream.driver.left_jobs import wait_for_jobs

        self._jobs.close()
        self._operations.close_all()
        wait_for_jobs(True, lambda error: print(error, file=sys.stderr), others)

    def _started(self, job: JobHandle) -> None:
        self._jobs.started(job)
        self._statements.jobs.note(job)

    def _complete(self, statement: str, position: int) -> list[str]:
        from datastream.cli.sql.completing import completions

        return [text for text, _, _ in completions(self._statements.t_env, statement[:position], statement)]


def _split(text: str) -> list[dict[str, Any]]:
    from datastream.driver.sql.splitting import split

    found, rest = split(text)
    found += [] if rest is None else [rest]
    return [{"statement": each.placed, "words": list(each.words)} for each in found]


def _say(lines: Any, answer: dict[str, Any]) -> None:
    lines.write(json.dumps(answer).encode() + b"\n")
    lines.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
