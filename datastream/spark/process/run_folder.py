"""A run's temporary folder: sockets, Spark's local files, temporary checkpoints.

It goes with the process. What a killed process left is swept up by the next one: a folder is held by a lock on
a file in it, which the system lets go of when the process dies.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import IO

_PREFIX = "datastream-"
_LOCK = "owner.lock"
#: A Unix socket's path has 107 bytes at most, and Spark's have 42 behind the folder.
_LONGEST = 60


class RunFolder:
    """A folder that this process holds.

    Attributes:
        path: Where it is.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        if len(self.path) > _LONGEST:
            os.rmdir(self.path)
            self.path = tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp")
        new = os.path.join(self.path, "new.lock")  # locked before it has the name that a sweeper looks for
        self._lock: IO[str] = open(new, "w")  # noqa: SIM115 - held as long as we live
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.rename(new, os.path.join(self.path, _LOCK))
        threading.Thread(target=sweep, args=(Path(self.path).parent,), daemon=True, name="datastream-sweep").start()

    def remove(self) -> None:
        """Delete it. Safe to call twice; a fork of the process that made it must not."""
        if os.getpid() != self._owner:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def sweep(parent: Path) -> None:
    """Remove the folders of processes that have died."""
    for folder in parent.glob(_PREFIX + "*"):
        try:
            with (folder / _LOCK).open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # held, not ours, or gone already
