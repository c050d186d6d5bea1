"""A run's temporary folder: sockets, Spark's local files, temporary checkpoints.

It goes with the process. What a killed process left is swept up by the next one. Other folders of the same place may
have names of the same form, and hold what cannot be made again, such as a checkpoint. So a folder is swept only with a
mark in it that names this very folder, while no process holds the mark's lock, and if no checkpoint is in it.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import re
import secrets
import shutil
import stat
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

_LOGGER = logging.getLogger("datastream")

_PREFIX = "datastream-"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
_NAME = re.compile(_PREFIX + "[a-z0-9_]{8}")
_MARK = "run.lock"
#: A Unix socket's path has 107 bytes at most, and Spark's have 42 after the folder.
_LONGEST = 60
#: The temporary checkpoint of a job without a checkpoint directory, in its folder.
TEMPORARY_CHECKPOINT = "temporary-checkpoint"
#: What identifies a checkpoint.
_CHECKPOINT = frozenset({"job.json", "offsets", "commits"})


class RunFolder:
    """A folder that this process holds, and deletes when it ends: also where an interrupt comes while it is made.

    Attributes:
        path: Where it is.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._folder: int | None = None
        self._lock: IO[str] | None = None
        self.path = ""
        atexit.register(self.remove)
        self.path = self._made()
        # Programs that tidy temporary folders, such as systemd-tmpfiles, leave locked ones alone, and what is in them.
        self._folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(OSError):  # a file system on which folders cannot be locked
            fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        new = os.path.join(self.path, f"{_MARK}.new")  # locked before it has the name that a sweeper looks for
        self._lock = open(new, "w")  # noqa: SIM115 - held as long as we live
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._lock.write(_mark_of(self.path, os.fstat(self._folder)))
        self._lock.flush()
        os.rename(new, os.path.join(self.path, _MARK))
        threading.Thread(target=sweep, args=(Path(self.path).parent,), daemon=True, name="datastream-sweep").start()

    @property
    def is_whole(self) -> bool:
        """Whether the folder is there as it was made: programs that tidy temporary folders begin with old files."""
        try:
            found = os.stat(os.path.join(self.path, _MARK), follow_symlinks=False)
        except OSError:
            return False
        return self._lock is not None and os.path.samestat(found, os.fstat(self._lock.fileno()))

    def remove(self) -> None:
        """Delete it. Safe to call twice; a fork of the process that made it must not."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.remove)
        folder, lock = self._folder, self._lock
        self._folder = self._lock = None
        if folder is None:
            with suppress(OSError):  # it was being made, and is empty; or it has been deleted
                os.rmdir(self.path)
            return
        with suppress(FileNotFoundError):
            found = os.stat(self.path, follow_symlinks=False)
            if os.path.samestat(found, os.fstat(folder)):
                _delete(self.path, signs=len(_CHECKPOINT))  # files that the job brings may have such a name
        if lock is not None:
            lock.close()
        os.close(folder)

    def _made(self) -> str:
        """Make the folder, whose name is known before it is there."""
        parent = tempfile.gettempdir()
        if len(os.path.join(parent, f"{_PREFIX}{'x' * 8}")) > _LONGEST:
            parent = "/tmp"
        while True:
            self.path = os.path.join(parent, _PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(8)))
            with suppress(FileExistsError):
                os.mkdir(self.path, 0o700)
                return self.path


def sweep(parent: Path) -> None:
    """Remove the folders of processes that have died."""
    with suppress(OSError):
        for name in os.listdir(parent):
            if _NAME.fullmatch(name):
                with suppress(OSError):  # held, not ours, or gone already
                    _sweep_folder(os.path.join(parent, name))


def _sweep_folder(path: str) -> None:
    """Remove a folder if a process that has died made it.

    Raises:
        OSError: It is held, or not such a folder.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        made = os.fstat(folder)
        if made.st_uid != os.getuid():
            return
        mark = os.open(_MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            expected = _mark_of(path, made).encode()
            about = os.fstat(mark)
            if not stat.S_ISREG(about.st_mode) or about.st_uid != os.getuid() or about.st_size != len(expected):
                return
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.pread(mark, len(expected), 0) == expected:
                _delete(path, signs=1)
        finally:
            os.close(mark)
    finally:
        os.close(folder)


def _mark_of(path: str, made: os.stat_result) -> str:
    """What the mark of a folder says: of a folder that was copied, renamed or made anew it is another's."""
    return (
        "A temporary folder of datastream. It is deleted with its process, or by a later one.\n"
        f"{os.path.basename(path)} {made.st_dev}:{made.st_ino}\n"
    )


def _delete(path: str, signs: int) -> None:
    """Delete a folder of ours, unless a checkpoint has come to lie in it.

    Args:
        path: The folder.
        signs: This number of the signs of a checkpoint must be in one place.
    """
    kept = _checkpoint_in(path, signs)
    if kept is None:
        shutil.rmtree(path, ignore_errors=True)
    else:
        _LOGGER.warning("the temporary folder %s is not deleted: there is a checkpoint in %s", path, kept)


def _checkpoint_in(path: str, signs: int) -> str | None:
    """Where in a folder there is a checkpoint, at any depth; None: nowhere but for a temporary one, or links to one."""
    temporary = os.path.join(path, TEMPORARY_CHECKPOINT)
    for folder, folders, files in os.walk(path):
        named = _CHECKPOINT.intersection((*folders, *files))
        found = frozenset(name for name in named if not os.path.islink(os.path.join(folder, name)))
        if folder == temporary:
            found &= {"job.json"}
        if len(found) >= signs:
            return folder
    return None
