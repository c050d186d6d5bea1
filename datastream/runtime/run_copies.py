"""Copies of runs on the disk of a worker's machine; see `datastream.runtime.runs`.

A run never changes, and is named by its digest. So a copy is that run or damaged, whoever wrote it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from .runs import name_of

#: A copy that nothing has read for so long is removed: a run that is no more, or of a subtask that is elsewhere now.
_UNUSED_S = 3600


class RunCopies:
    """A folder of copies, which several processes share.

    Args:
        folder: The folder; None: no copies are kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def read(self, name: bytes) -> Any:
        """A copy, mapped into memory; None: there is none that is sound."""
        if self._folder is None:
            return None
        path = self._folder / name.hex()
        try:
            with pa.memory_map(str(path)) as file:
                data = file.read_buffer()
            os.utime(path)
        except OSError:
            return None
        if name_of(data) != name:
            _remove(path)
            return None
        return data

    def write(self, name: bytes, data: bytes) -> None:
        """Keep a copy if there is place for it."""
        if self._folder is None:
            return
        path = self._folder / name.hex()
        part = path.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(path)
        except OSError:  # it will be read from the store again
            _remove(part)

    def remove(self, name: bytes) -> None:
        """Remove a copy, if there is one."""
        if self._folder is not None:
            _remove(self._folder / name.hex())

    def remove_unused(self) -> None:
        """Remove copies that nothing has read for long; looks once in that time."""
        if self._folder is None:
            return
        before = time.time() - _UNUSED_S
        mark = self._folder / "looked"
        with suppress(OSError):
            if mark.exists() and mark.stat().st_mtime > before:
                return
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.touch()
            for copy in self._folder.iterdir():
                with suppress(OSError):
                    if copy.stat().st_mtime < before:
                        copy.unlink()


def _remove(copy: Path) -> None:
    with suppress(OSError):
        copy.unlink()
