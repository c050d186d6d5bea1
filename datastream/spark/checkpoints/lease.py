"""Who owns a folder on a file system without locks: a file that its owner keeps changing.

The files are ``lease-1``, ``lease-2`` and so on; the owner of the highest one owns the folder. Who takes over makes the
next one, which only one can: files are made, never taken. The owner changes its file with each heartbeat, and has lost
the folder when it finds a higher one. Whether an owner still lives is told by its file changing while the other one
watches, by the watcher's clock alone: clocks of machines are never compared.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from datastream.errors import CheckpointError, CheckpointInUse, WorkerError

from .damage import lost
from .place import born, is_beside, place

_NAME = re.compile(r"lease-([0-9]+)")
_EVERY_S = 5.0
#: The number of heartbeats that must be missing before another owner may take over.
_STALE_BEATS = 6
#: Two that make the same file at once: the content that stands after this time decides.
_SETTLED_S = 0.3
_READS = 5


class Files(Protocol):
    """A folder's files. Methods raise OSError when the file system does not answer."""

    def names(self) -> list[str]:
        """The names of all files."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None: it is not there."""

    def create(self, name: str, content: bytes) -> bool:
        """Make a new file; false if there is one of this name."""

    def replace(self, name: str, content: bytes) -> None:
        """Write a file, new or not."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""


class Lease:
    """Holds a folder until `release`, or until another owner has taken it over.

    Args:
        files: The folder's files.
        where: The folder, for messages.
        every_s: Time between two heartbeats.
        clock: Never goes back; in s.

    Raises:
        CheckpointInUse: Another process holds it.
    """

    def __init__(
        self, files: Files, where: str, every_s: float = _EVERY_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._files, self._where, self._every_s, self._clock = files, where, every_s, clock
        self._content: dict[str, Any] = {
            "owner": secrets.token_hex(16),
            "every_ms": round(every_s * 1000),
            "beat": 0,
            "released": False,
            **place(),
        }
        self._lock = threading.Lock()
        self._taken_over = self._gone = False
        self._over = threading.Event()
        self._generation = self._take()
        self._last_beat = clock()
        threading.Thread(target=self._keep, name="datastream-lease", daemon=True).start()

    def check(self) -> None:
        """Make sure that the folder is still ours.

        Raises:
            CheckpointInUse: Another job has taken it over.
            CheckpointLost: The owners' files have gone, and the folder with them.
            WorkerError: There was no heartbeat for so long that another job might do so.
        """
        if self._gone:
            raise lost(self._where, "it has been deleted")
        if self._taken_over:
            raise CheckpointInUse(
                f"another job has taken over the checkpoint directory {self._where}, as this one was silent for long; "
                "this one ends"
            )
        silent_s = self._clock() - self._last_beat
        if silent_s > (_STALE_BEATS - 1) * self._every_s:
            raise WorkerError(
                f"the checkpoint directory {self._where} could not be written to for {silent_s:.0f} s, so that another "
                "job might take it over",
                transient=True,
            )

    def renew(self) -> None:
        """Give a heartbeat now.

        Raises:
            CheckpointInUse: Another job has taken the folder over.
            CheckpointLost: The folder has gone.
            OSError: The file system does not answer.
        """
        with self._lock:
            highest = _highest(self._files)
            if highest < self._generation:
                self._gone = True
            elif highest > self._generation or self._is_anothers():
                self._taken_over = True
            else:
                self._content["beat"] += 1
                self._write()
                self._last_beat = self._clock()
        self.check()

    def release(self) -> None:
        """Leave the folder to others. Safe to call twice."""
        with self._lock:
            if not self._over.is_set():
                self._over.set()
                self._content["released"] = True
                with suppress(OSError):
                    if not (self._taken_over or self._gone):
                        self._write()

    def _is_anothers(self) -> bool:
        """Whether the file of this lease has been written by another one."""
        owner: str = self._content["owner"]
        return bool(self._read(self._generation).get("owner", owner) != owner)

    def _write(self) -> None:
        self._files.replace(f"lease-{self._generation}", json.dumps(self._content).encode())

    def _keep(self) -> None:
        while not self._over.wait(self._every_s):
            with suppress(OSError, CheckpointError, WorkerError):  # `check` says so to the one who follows the job
                self.renew()

    def _take(self) -> int:
        """Make the next file, once the owner of the last one has gone."""
        last = _highest(self._files)
        if last:
            self._await_end(last)
        own = last + 1
        made = self._files.create(f"lease-{own}", json.dumps(self._content).encode())
        time.sleep(_SETTLED_S)
        if not made or self._read(own).get("owner") != self._content["owner"] or _highest(self._files) != own:
            raise CheckpointInUse(
                f"another job has just taken the checkpoint directory {self._where}; "
                "stop it first, or choose another --checkpoint-dir"
            )
        for name in self._files.names():
            found = _NAME.fullmatch(name)
            if found and int(found.group(1)) < own:
                self._files.delete(name)
        return own

    def _await_end(self, last: int) -> None:
        """Watch the owner of a file for as long as it takes to know that it has gone.

        Raises:
            CheckpointInUse: It lives.
        """
        first = self._bytes(last)
        began = self._clock()
        known: dict[str, Any] = {}
        while True:
            known = self._read(last) or known
            if known.get("released") or _has_died(known):
                return
            if self._bytes(last) != first or _highest(self._files) != last:
                if self._read(last).get("released"):
                    return
                who = f"process {known.get('pid', '?')} on {known.get('host', '?')}"
                raise CheckpointInUse(
                    f"another running job ({who}) holds the checkpoint directory {self._where}; "
                    "stop it first, or choose another --checkpoint-dir"
                )
            every_s = float(known.get("every_ms", self._every_s * 1000)) / 1000
            if self._clock() - began > _STALE_BEATS * every_s:
                return
            time.sleep(min(0.1, every_s / 4))

    def _read(self, generation: int) -> dict[str, Any]:
        """What a file says; nothing while it is being written."""
        try:
            found = json.loads(self._bytes(generation) or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _bytes(self, generation: int) -> bytes | None:
        """The content of a file, whose owner may be writing it just now."""
        for _ in range(_READS):
            try:
                return self._files.read(f"lease-{generation}")
            except OSError:
                time.sleep(_SETTLED_S)
        return self._files.read(f"lease-{generation}")


def _highest(files: Files) -> int:
    return max((int(found.group(1)) for name in files.names() if (found := _NAME.fullmatch(name))), default=0)


def _has_died(owner: dict[str, Any]) -> bool:
    """Whether the owner was a process beside this one that is there no more."""
    if not is_beside(owner):
        return False
    try:
        return born(int(owner["pid"])) != owner.get("born")
    except OSError:
        return True
