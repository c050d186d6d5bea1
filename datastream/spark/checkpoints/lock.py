"""``owner.lock``: the process that holds a checkpoint directory. The system lets go of it when the driver dies."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from datastream.errors import CheckpointInUse

from .place import born, is_beside, place

#: What is locked in a checkpoint directory.
LOCK = "owner.lock"

_PATIENCE_S = 15.0


def lock_folder(folder: Path, name: str = LOCK) -> IO[str]:
    """Take hold of a folder of this machine, also after a driver that was killed.

    Args:
        folder: The folder.
        name: Of the file that is locked.

    Raises:
        CheckpointInUse: Another process holds it.
        OSError: The folder cannot be written to, or its file system has no locks.
    """
    file = (folder / name).open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        owner = _owner(file)
        file.close()
        elsewhere = f" on {owner['host']}" if owner and owner.get("host", platform.node()) != platform.node() else ""
        who = f" (process {owner['driver']}{elsewhere})" if owner else ""
        raise CheckpointInUse(
            f"another running job{who} holds the checkpoint directory {folder}; "
            "stop it first, or choose another --checkpoint-dir"
        ) from None
    except OSError:  # a file system without locks
        file.close()
        raise
    file.seek(0)
    owner = _owner(file)
    deadline = time.monotonic() + _PATIENCE_S
    while owner and _java_lives(owner):
        if time.monotonic() > deadline:
            file.close()
            raise CheckpointInUse(
                f"the driver that held {folder} has died, but its Java process {owner['java']} still runs; "
                "end that process, then start the job again"
            )
        time.sleep(0.1)
    return file


def note_java(lock: IO[str], java: int) -> None:
    """Remember which Java works on the folder: it may outlive a killed driver by a moment."""
    note: dict[str, Any] = {"driver": os.getpid(), "java": java, **place()}
    with suppress(OSError):
        note["java_born"] = born(java)
    file = lock.fileno()  # unbuffered: on a full disk closing would fail again
    os.ftruncate(file, 0)
    os.pwrite(file, json.dumps(note).encode(), 0)


def _owner(file: IO[str]) -> dict[str, Any] | None:
    try:
        owner = json.loads(file.read())
    except ValueError:  # new, or cut off in the middle of writing
        return None
    return owner if isinstance(owner, dict) and "java" in owner else None


def _java_lives(owner: dict[str, Any]) -> bool:
    """Whether the Java process of an earlier driver runs on.

    In another container its number would be that of any other process, of this driver's own Java, say. The earlier
    container has ended with its driver.
    """
    if owner["driver"] == os.getpid() or not is_beside(owner):
        return False
    try:
        return born(int(owner["java"])) == owner.get("java_born")
    except OSError:
        return False
