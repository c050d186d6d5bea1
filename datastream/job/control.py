"""A job's control socket: other processes of the user see how the job is, and cancel or stop it.

One request a connection, as JSON: ``{"command": name, ...arguments}``; the answer is ``{"ok": value}`` or
``{"error": message}``. Who connects shows by HMAC that it knows the key in the job's note, see `registry`.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from typing import Any, Protocol

from datastream.errors import DataStreamError, JobNotFound, UnsupportedOperation

from .job_id import JobID
from .job_status import JobStatus
from .registry import JobNote, Registration
from .socket_server import SocketServer

_ANSWER_S = 5.0
_ADDRESS = "control"

#: What a driver answers at once, and for how long it is waited for.
_PROMPT = frozenset({"status", "accumulators"})
_PROMPT_S = 10.0


class Controlled(Protocol):
    """What the socket needs of a job."""

    job_id: JobID
    name: str
    restarts: int
    last_epoch: int

    @property
    def status(self) -> JobStatus: ...

    @property
    def accumulators(self) -> dict[str, Any]: ...

    def cancel_from_outside(self) -> None: ...

    def trigger_savepoint(self, directory: str | None) -> str: ...

    def stop_with_savepoint(self, drain: bool, directory: str | None) -> str: ...


class ControlServer:
    """Listens for other processes as long as a job runs.

    Args:
        job: The job.
        folder: Where the socket is made.
        checkpoint: The job's checkpoint directory; None: a temporary one.
    """

    def __init__(self, job: Controlled, folder: str, checkpoint: str | None) -> None:
        self._job, self._checkpoint = job, checkpoint
        self._authkey = secrets.token_bytes(32)
        self.address = os.path.join(folder, _ADDRESS)
        self._started_ms = int(time.time() * 1000)
        self._ended = threading.Event()
        self._outcome: dict[str, Any] = {}
        self._idle = threading.Condition()
        self._requests = 0
        self._listen()

    def _listen(self) -> None:
        job = self._job
        self._server = SocketServer(self.address, self._serve, "datastream-control")
        note = JobNote(
            str(job.job_id),
            job.name,
            os.getpid(),
            self.address,
            self._authkey.hex(),
            self._checkpoint,
            self._started_ms,
        )
        self._registration = Registration(note)

    def move(self, folder: str) -> None:
        """Listen in another folder: the one before has gone."""
        self._registration.remove()
        self._server.close()
        self.address = os.path.join(folder, _ADDRESS)
        self._listen()

    def close(self, status: str, error: BaseException | None, runtime_ms: int) -> None:
        """The job has ended: who waits for that hears how, then no request is answered any more."""
        self._registration.remove()
        self._outcome = {
            "status": status,
            "error": None if error is None else f"{type(error).__name__}: {error}",
            "runtime_ms": runtime_ms,
            "accumulators": self._job.accumulators,
        }
        self._ended.set()
        with self._idle:
            self._idle.wait_for(lambda: self._requests == 0, _ANSWER_S)
        self._server.close()

    def _serve(self, connection: Connection) -> None:
        with connection, suppress(OSError, EOFError, AuthenticationError, ValueError, RecursionError):
            deliver_challenge(connection, self._authkey)
            answer_challenge(connection, self._authkey)
            request = json.loads(connection.recv_bytes())
            if not isinstance(request, dict):
                return
            with self._idle:
                self._requests += 1
            try:
                connection.send_bytes(json.dumps(self._answer(request), default=str).encode())
            finally:
                with self._idle:
                    self._requests -= 1
                    self._idle.notify_all()

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        command = str(request.pop("command", ""))
        commands: dict[str, Callable[..., Any]] = {
            "status": self._status,
            "accumulators": lambda: self._job.accumulators,
            "wait": self._wait,
            "cancel": self._cancel,
            "savepoint": lambda directory: self._job.trigger_savepoint(directory),
            "stop": lambda drain, directory: self._job.stop_with_savepoint(drain, directory),
        }
        try:
            if command not in commands:
                raise UnsupportedOperation(f"this job's datastream knows no command {command!r}")
            return {"ok": commands[command](**request)}
        except Exception as error:  # it is for the one who asked
            return {"error": f"{error}" if isinstance(error, DataStreamError) else f"{type(error).__name__}: {error}"}

    def _status(self) -> dict[str, Any]:
        job = self._job
        counts = job.accumulators
        return {
            "id": str(job.job_id),
            "name": job.name,
            "status": job.status.name,
            "restarts": job.restarts,
            "epoch": job.last_epoch if job.last_epoch >= 0 else None,
            "records_in": counts["records_in"],
            "records_out": counts["records_out"],
            "started_ms": self._started_ms,
            "pid": os.getpid(),
            "checkpoint": self._checkpoint,
        }

    def _cancel(self) -> dict[str, Any]:
        self._job.cancel_from_outside()
        return self._wait()

    def _wait(self) -> dict[str, Any]:
        self._ended.wait()
        return self._outcome


class ControlError(DataStreamError):
    """A job has refused an order, or could not carry it out."""


def request(note: JobNote, command: str, **arguments: Any) -> Any:
    """Send a command to a job's driver; its answer.

    Raises:
        JobNotFound: The driver does not answer.
        ControlError: The job refused, or a question that takes no time is not answered in `_PROMPT_S`.
    """
    if command not in _PROMPT:
        return _request(note, command, arguments)
    answer: Future[Any] = Future()

    def ask() -> None:
        try:
            answer.set_result(_request(note, command, arguments))
        except Exception as error:
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True, name="datastream-request").start()
    try:
        return answer.result(_PROMPT_S)
    except TimeoutError:
        raise ControlError(
            f"the driver of the job {note.id} (process {note.pid}) has not answered for {_PROMPT_S:.0f} s: it may be "
            "suspended (SIGSTOP, Ctrl-Z, a debugger) or its machine overloaded; wake it up, or end the process"
        ) from None


def _request(note: JobNote, command: str, arguments: dict[str, Any]) -> Any:
    try:
        with Client(note.address, "AF_UNIX", authkey=bytes.fromhex(note.authkey)) as connection:
            connection.send_bytes(json.dumps({"command": command, **arguments}).encode())
            answer = json.loads(connection.recv_bytes())
    except (OSError, EOFError, AuthenticationError) as error:
        raise JobNotFound(
            f"the driver of the job {note.id} (process {note.pid}) does not answer: it has ended, or ends now"
        ) from error
    if "error" in answer:
        raise ControlError(answer["error"])
    return answer["ok"]
