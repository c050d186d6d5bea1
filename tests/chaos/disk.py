"""A disk for the checkpoint, that may be full."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from pathlib import Path

_MB = 1 << 20
_SIZE_MB = 512


def can_mount() -> bool:
    """Whether this process may make disks."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            Disk(Path(folder) / "disk").remove()
        except OSError:
            return False
    return True


class Disk:
    """A file system of its own, in memory, at a folder. Making one is root's right, or that of a user namespace.

    Args:
        folder: Where; made.

    Raises:
        OSError: This process may not mount.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE_MB}m", "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise PermissionError(f"no disk can be mounted: {done.stderr.strip()}")

    def fill(self) -> None:
        """Leave no byte free."""
        data = os.urandom(_MB)
        with (self._folder / "filler").open("wb", buffering=0) as file:
            for size in (_MB, 4096):
                try:
                    while True:
                        file.write(data[:size])
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """Give the space back."""
        (self._folder / "filler").unlink()

    def remove(self) -> None:
        """Take it away with all that is on it."""
        subprocess.run(["umount", "--lazy", str(self._folder)], check=True)
