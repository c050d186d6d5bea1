"""Programs of servers, fetched once and kept in the user's cache folder."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path


def install_once(name: str, fill: Callable[[Path], None]) -> Path:
    """The folder of a program; filled when it is not there.

    Several runs may ask at once: one fills the folder, the others wait for it.

    Args:
        name: Of the program and its version: names the folder.
        fill: Puts the program into the folder that it is given, which is new and empty.
    """
    servers = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "datastream" / "servers"
    folder = servers / name
    if folder.is_dir():
        return folder
    servers.mkdir(parents=True, exist_ok=True)
    with (servers / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        partial = servers / f"{name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            fill(partial)
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return folder
