"""``owner.lock``: the process that holds a checkpoint folder. The system lets go of it when the driver dies."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from typing import IO

from datastream.errors import CheckpointInUse

_PATIENCE_S = 15.0


def lock_folder(folder: Path) -> IO[str]:
    """Take hold of a folder of this machine, also after a driver that was killed.

    Raises:
        CheckpointInUse: Another process holds it.
    """
    file = (folder / "owner.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        owner = _owner(file)
        file.close()
        who = f" (process {owner['driver']})" if owner else ""
        raise CheckpointInUse(
            f"another running job{who} holds the checkpoint folder {folder}; "
            "stop it first, or choose another --checkpoint-dir"
        ) from None
    file.seek(0)
    owner = _owner(file)
    deadline = time.monotonic() + _PATIENCE_S
    while owner and owner["driver"] != os.getpid() and _is_java(owner["java"]):
        if time.monotonic() > deadline:
            file.close()
            raise CheckpointInUse(
                f"the driver that held {folder} has died, but its Java process {owner['java']} still runs; "
                "end that process, then start the job again"
            )
        time.sleep(0.1)
    return file


def _owner(file: IO[str]) -> dict[str, int] | None:
    try:
        owner = json.loads(file.read())
    except ValueError:  # new, or cut off in the middle of writing
        return None
    return owner if isinstance(owner, dict) and "java" in owner else None


def _is_java(pid: int) -> bool:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"PythonGatewayServer" in line or b"SparkSubmit" in line
