"""The sessions of a gateway, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..launchers.pool import environment

#: A session's process is ready, and answers, within these times.
_START_S, _ANSWER_S = 60.0, 30.0
#: Bytes of an answer. A page has fewer.
_MOST_BYTES = 32 << 20
#: A log that is larger is kept as ``.1``, and another one begun.
_LOG_BYTES = 32 << 20


class SqlError(Exception):
    """A request about a session that is not carried out; the text is for the one who asked."""


class Session:
    """A session.

    Args:
        handle: Its id.
        owner: Id of the token that has opened it.
        work: Working directory of its process.
        properties: Its settings.

    Raises:
        SqlError: It cannot be opened.
    """

    def __init__(self, handle: str, owner: str, work: Path, properties: Mapping[str, str]) -> None:
        self.handle, self.owner = handle, owner
        self.used = time.monotonic()
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        self._come = bytearray()
        try:
            with theirs, _log(work).open("ab") as said:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", f"{__package__}.session_process", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    cwd=work,
                    env=environment(),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            opened = {"handle": handle, "properties": dict(properties), "notes": str(notes_folder(work))}
            answer = self._exchange(opened, _START_S)
        except BaseException:
            self._socket.close()
            raise
        if "error" in answer:
            self.close()
            raise SqlError(f"Failed to create session: {answer['error']}")

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process's id."""
        return self._process.pid

    def ask(self, do: str, **request: Any) -> Any:
        """What its process answers to a request.

        Args:
            do: What is asked for.
            request: What is said with it.

        Raises:
            SqlError: It is refused, or the process has ended.
        """
        answer = self._exchange({"do": do, **request}, _ANSWER_S)
        if "error" in answer:
            raise SqlError(str(answer["error"]))
        return answer.get("answer")

    def close(self) -> None:
        """Let its process end, when its jobs have ended that have an end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        threading.Thread(target=self._process.wait, daemon=True, name="datastream-sql-end").start()

    def _exchange(self, request: dict[str, Any], limit_s: float) -> dict[str, Any]:
        with self._lock:
            try:
                self._socket.settimeout(limit_s)
                self._socket.sendall(json.dumps(request).encode() + b"\n")
                found = json.loads(self._line(time.monotonic() + limit_s))
            except (OSError, ValueError) as error:
                self._kill()
                raise SqlError(f"Session '{self.handle}' has ended: its process does not answer") from error
        return found if isinstance(found, dict) else {"error": "the session's process has answered in another form"}

    def _line(self, deadline: float) -> bytes:
        """The next line of the process.

        Raises:
            OSError: It does not come in time, or the process has ended.
            ValueError: It is too long.
        """
        begin = 0
        while (end := self._come.find(b"\n", begin)) < 0:
            begin = len(self._come)
            if begin > _MOST_BYTES:
                raise ValueError("too much")
            self._socket.settimeout(max(0.01, deadline - time.monotonic()))
            came = self._socket.recv(1 << 16)
            if not came:
                raise ConnectionResetError
            self._come += came
        line = bytes(self._come[:end])
        del self._come[: end + 1]
        return line

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Sessions:
    """The open sessions.

    Args:
        work: Working directory of their processes.
        most: How many may be open at once.
        idle_s: A session without requests, statements and jobs is closed after this number of seconds; 0: never.
    """

    def __init__(self, work: Path, most: int, idle_s: float) -> None:
        self._work, self._most, self._idle_s = work, most, idle_s
        self._open: dict[str, Session | None] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        if idle_s:
            threading.Thread(target=self._close_idle, daemon=True, name="datastream-sql-idle").start()

    def open(self, owner: str, properties: Mapping[str, str]) -> str:
        """Open a session; its handle.

        Args:
            owner: Id of the token that it belongs to.
            properties: Its settings.

        Raises:
            SqlError: There are too many, or it cannot be opened.
        """
        handle = str(uuid.uuid4())
        self._forget_ended()
        with self._lock:
            if len(self._open) >= self._most:
                raise SqlError(
                    f"Failed to create session, the count of active sessions exceeds the max count: {self._most}"
                )
            self._open[handle] = None  # its place
        try:
            session = Session(handle, owner, self._work, properties)
        except BaseException:
            self._open.pop(handle)
            raise
        with self._lock:
            self._open[handle] = session
        return handle

    def find(self, handle: str, owner: str) -> Session:
        """A session, which is used with that.

        Args:
            handle: Its id.
            owner: Id of the token that asks.

        Raises:
            SqlError: This token has no such session.
        """
        found = self._open.get(handle)
        if found is None or found.owner != owner:
            raise SqlError(f"Session '{handle}' does not exist.")
        found.used = time.monotonic()
        return found

    def close(self, handle: str, owner: str) -> None:
        """Close a session.

        Raises:
            SqlError: This token has no such session.
        """
        session = self.find(handle, owner)
        with self._lock:
            self._open.pop(handle, None)
        session.close()

    def close_all(self) -> None:
        """Close all of them."""
        self._closing.set()
        for handle, session in list(self._open.items()):
            if session is not None:
                self.close(handle, session.owner)

    def _forget_ended(self) -> None:
        for handle, session in list(self._open.items()):
            if session is not None and not session.alive:
                self._open.pop(handle, None)
                session.close()

    def _close_idle(self) -> None:
        while not self._closing.wait(min(60.0, self._idle_s / 2)):
            self._forget_ended()
            for handle, session in list(self._open.items()):
                if session is None or time.monotonic() - session.used < self._idle_s:
                    continue
                with suppress(SqlError):
                    if not session.ask("busy"):
                        self.close(handle, session.owner)


def notes_folder(work: Path) -> Path:
    """Where sessions note their jobs.

    Args:
        work: Working directory of their processes.
    """
    return work / "sql-jobs"


def _log(work: Path) -> Path:
    file = work / "sql-sessions.log"
    with suppress(OSError):
        if file.stat().st_size > _LOG_BYTES:
            file.replace(file.with_name(file.name + ".1"))
    return file
