"""The lock of a gateway's data folder: one gateway holds it, and other processes of the machine learn of it there."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from datastream.errors import DataStreamError

_FILE = "gateway.lock"
#: Addresses that mean all of a machine's, and the one to reach them by from itself.
_LOCAL = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}


class DataInUse(DataStreamError):
    """Another gateway has the data folder."""


def lock(folder: Path) -> IO[str]:
    """Take the lock of a data folder; it is held until what is returned is closed.

    Raises:
        DataInUse: another gateway has it.
    """
    file = (folder / _FILE).open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.readline().strip() or "unknown"
        file.close()
        raise DataInUse(
            f"another gateway, process {holder}, has the folder {folder}; end it, or give another --data"
        ) from None
    _write(file, str(os.getpid()))
    return file


def note_address(file: IO[str], scheme: str, host: str, port: int) -> None:
    """Note where the gateway that holds the lock listens.

    Args:
        file: Of `lock`.
        scheme: ``http`` or ``https``.
        host: Its address.
        port: Its port.
    """
    name = _LOCAL.get(host) or (f"[{host}]" if ":" in host else host)
    _write(file, f"{os.getpid()}\n{scheme}://{name}:{port}")


def address(folder: Path) -> str | None:
    """The URL by which processes of this machine reach the gateway of a data folder; None: there is none."""
    with suppress(OSError), (folder / _FILE).open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            _, _, url = file.read().partition("\n")
            return url.strip() or None
    return None


def _write(file: IO[str], text: str) -> None:
    with suppress(OSError):  # the disk is full: the lock holds all the same
        file.truncate(0)
        file.write(text)
        file.flush()
