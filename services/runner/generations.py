"""A directory of generations: one job's checkpoints ``1``, ``2`` and so on, and the savepoints that they began from.

A directory that is a checkpoint itself is generation 0.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import IO, Any

from datastream.errors import CheckpointError
from datastream.io.durable import sync_folder
from datastream.spark.checkpoints.directory import CONTENT, GENERATIONS
from datastream.spark.checkpoints.lock import lock_folder

from .scaled_settings import NOTE, read_note

_REMOVED = ".removed-"


class Generations:
    """The files of a directory of generations; whoever changes them holds it.

    Args:
        directory: A path of this machine, or its URI.
    """

    def __init__(self, directory: str) -> None:
        self.folder = Path(directory.removeprefix("file://")).absolute()

    def hold(self) -> IO[str]:
        """Take hold of the directory until what is returned is closed, or the process ends.

        Raises:
            CheckpointInUse: Another process holds it.
            CheckpointError: It cannot be made, or its file system has no locks.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return lock_folder(self.folder, GENERATIONS)
        except OSError as error:
            what = "it is a file" if self.folder.is_file() else error.strerror or str(error)
            raise CheckpointError(f"the checkpoint directory {self.folder} cannot be used: {what}") from error

    def path(self, number: int) -> Path:
        """The checkpoint directory of a generation."""
        return self.folder / str(number) if number else self.folder

    def savepoint(self, number: int) -> Path:
        """The savepoint that a generation began from."""
        return self.folder / "savepoints" / str(number)

    def newest(self) -> int | None:
        """The number of the newest generation; None: there is none."""
        numbers = (int(path.name) for path in self.folder.iterdir() if path.name.isdecimal())
        return max((number for number in (*numbers, 0) if self._is_generation(number)), default=None)

    def _is_generation(self, number: int) -> bool:
        return _is_checkpoint(self.path(number))

    def committed(self, number: int) -> int | None:
        """The last batch that a generation has committed; None: none."""
        return _last(self.path(number) / "commits")

    def begun(self, number: int) -> int | None:
        """The last batch that a generation has begun; None: none."""
        return _last(self.path(number) / "offsets")

    def remove(self, number: int) -> None:
        """Remove a generation; a kill amid that leaves none that looks like one."""
        path = self.path(number)
        if number:
            self._remove_folder(path)
            return
        for name in ("offsets", "job.json", *CONTENT):
            found = path / name
            if found.is_dir():
                shutil.rmtree(found, ignore_errors=True)
            elif name != "owner.lock":
                found.unlink(missing_ok=True)

    def remove_before(self, number: int) -> list[str]:
        """Remove all that is older than a generation, but the savepoint that it began from; what was removed."""
        older = [path for path in _numbered(self.folder, number) if self._is_generation(int(path.name))]
        older += [path for path in _numbered(self.savepoint(number).parent, number) if not _is_checkpoint(path)]
        removed = [str(path) for path in older]
        if number and self._is_generation(0):
            self.remove(0)
            removed.append(f"{self.folder}, as a checkpoint")
        for path in older:
            self._remove_folder(path)
        for path in self.folder.glob(f"{_REMOVED}*"):  # of a process that was killed amid that
            if path.name.removeprefix(_REMOVED).isdecimal():
                shutil.rmtree(path, ignore_errors=True)
        return removed

    def _remove_folder(self, path: Path) -> None:
        """Remove a folder; a kill amid that leaves none that looks whole."""
        gone = self.folder / f"{_REMOVED}{path.name}"
        shutil.rmtree(gone, ignore_errors=True)
        os.replace(path, gone)
        sync_folder(self.folder)
        shutil.rmtree(gone, ignore_errors=True)

    def read_note(self) -> dict[str, Any]:
        """What is noted beside the generations.

        Raises:
            CheckpointError: The note is damaged.
        """
        return read_note(self.folder)

    def write_note(self, **changes: Any) -> None:
        """Change what is noted; it is on the disk then."""
        note = {**self.read_note(), **changes}
        file = self.folder / NOTE
        temporary = file.with_name(f".{NOTE}.tmp")
        with temporary.open("w", encoding="utf-8") as out:
            json.dump(note, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, file)
        sync_folder(self.folder)


def _last(folder: Path) -> int | None:
    return max((int(path.name) for path in folder.glob("*") if path.name.isdecimal()), default=None)


def _is_checkpoint(folder: Path) -> bool:
    return (folder / "job.json").exists() or (folder / "offsets").exists()


def _numbered(folder: Path, below: int) -> list[Path]:
    """The folders in one whose names are numbers below another."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.name.isdecimal() and int(path.name) < below]
    return [path for path in found if path.is_dir() and not path.is_symlink()]
