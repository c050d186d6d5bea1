"""Files of a checkpoint, truncated or with a bit flipped."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

#: A fault of a disk is found among so many files that were written last.
_NEWEST = 8

_NOT_READ = ("owner.lock",)


def truncate(file: Path, size: int) -> None:
    """Leave only the first bytes of a file."""
    os.truncate(file, size)


def flip(file: Path, bit: int) -> None:
    """Turn one bit of a file."""
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


class Damage:
    """One file that is damaged, while the job is down.

    Attributes:
        file: Which.
        done: What was done to it, for messages.
    """

    def __init__(self, file: Path, done: str, spoil: Callable[[Path], None], aside: Path) -> None:
        self.file, self.done = file, done
        self._aside = aside
        shutil.copy2(file, aside)
        spoil(file)

    def is_named(self, error: str) -> bool:
        """Whether an error names the file, or the one that it is the checksum of, or at least the state."""
        file = self.file.with_name(self.file.name.removeprefix(".").removesuffix(".crc"))
        return str(file) in error or ("state" in self.file.parts and "checkpoint/state is damaged" in error)

    def repair(self) -> None:
        """Put the file back as it was, as from a backup."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self._aside, self.file)


def damage_newest(checkpoint: Path, output: Path, fault: str, chance: Random, aside: Path) -> Damage | None:
    """Damage one of the newest files of a job; None: there is none yet.

    Args:
        checkpoint: The checkpoint's directory.
        output: Where file sinks write, with their own notes.
        fault: ``truncate`` or ``flip``.
        chance: Chooses.
        aside: A file that takes the copy.
    """
    newest = sorted(_files(checkpoint, output), key=lambda file: (file.stat().st_mtime_ns, file))[-_NEWEST:]
    if not newest:
        return None
    file = chance.choice(newest)
    size = file.stat().st_size
    if fault == "truncate":
        left = chance.choice((0, size // 2, chance.randrange(size)))
        return Damage(file, f"{file} truncated from {size} to {left} bytes", lambda path: truncate(path, left), aside)
    bit = chance.randrange(size * 8)
    return Damage(file, f"{file} with bit {bit} of {size * 8} flipped", lambda path: flip(path, bit), aside)


def _files(checkpoint: Path, output: Path) -> Iterator[Path]:
    for file in (*checkpoint.rglob("*"), *output.glob("*/.datastream/*/state.json")):
        if file.is_file() and file.stat().st_size and file.name not in _NOT_READ:
            yield file
