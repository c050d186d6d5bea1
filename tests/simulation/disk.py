"""What a loss of power leaves of files: what was brought to the disk, and of the rest any part."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

#: Calls that change the names of a folder, and which of their arguments are names.
_NAMES = {"link": 2, "mkdir": 1, "remove": 1, "rename": 2, "replace": 2, "rmdir": 1, "unlink": 1}

_real = {name: getattr(os, name) for name in (*_NAMES, "fsync")}


@dataclass
class Disk:
    """Follows the calls of the operating system below a folder.

    A file's bytes are safe once it was brought to the disk (`os.fsync`), its name once its folder was. The last changes
    of a folder's names may be lost, those before them not: that is how file systems with a journal behave.

    Args:
        folder: Where the job keeps its files.
        passed: Called with a name before and behind each call: a point where a process may be lost.
    """

    folder: str
    passed: Callable[[str], None]
    _safe: dict[int, int] = field(default_factory=dict)
    _changes: dict[str, list[Callable[[], None]]] = field(default_factory=dict)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follow what this process does meanwhile."""
        with (
            tempfile.TemporaryDirectory(dir=os.path.dirname(self.folder)) as self._kept,
            mock.patch.multiple(os, **{name: self._around(name) for name in _real}),
        ):
            yield

    def lose_power(self, draw: Random) -> None:
        """Lose what was not brought to the disk, or a part of it."""
        known, self._changes = self._changes, {}
        for changes in known.values():
            for undo in reversed(changes[draw.randint(0, len(changes)) :]):
                undo()
        self._changes = {}
        for path in Path(self.folder).rglob("*"):
            if path.is_file():
                size, safe = path.stat().st_size, self._safe.get(path.stat().st_ino, 0)
                if size > safe:
                    os.truncate(path, draw.randint(safe, size))

    def _around(self, name: str) -> Callable[..., Any]:
        def around(*arguments: Any, **named: Any) -> Any:
            self.passed(f"before os.{name}")
            if name == "fsync":
                _real[name](*arguments)
                self._sync(arguments[0])
            else:
                undo = None if named else self._undoing(name, [os.fspath(one) for one in arguments[: _NAMES[name]]])
                _real[name](*arguments, **named)
                if undo is not None:
                    folder, change = undo
                    self._changes.setdefault(folder, []).append(change)
            self.passed(f"behind os.{name}")

        return around

    def _sync(self, handle: int) -> None:
        about = os.fstat(handle)
        self._safe[about.st_ino] = about.st_size
        self._changes.pop(os.readlink(f"/proc/self/fd/{handle}"), None)

    def _undoing(self, name: str, paths: list[str]) -> tuple[str, Callable[[], None]] | None:
        """In which folder a call changes names, and what takes it back."""
        target = paths[-1]
        if not target.startswith(self.folder):
            return None
        folder = os.path.realpath(os.path.dirname(target))
        before = None
        if name != "link" and os.path.isfile(target):
            before = os.path.join(self._kept, str(len(os.listdir(self._kept))))
            _real["link"](target, before)

        def undo() -> None:
            if name in ("rename", "replace") and os.path.exists(target):
                _real["replace"](target, paths[0])
            elif name == "link":
                Path(target).unlink(missing_ok=True)
            elif name == "mkdir":
                shutil.rmtree(target, ignore_errors=True)
            elif name == "rmdir":
                os.makedirs(target, exist_ok=True)
            if before is not None and os.path.isdir(folder) and not os.path.exists(target):
                _real["link"](before, target)

        return folder, undo
