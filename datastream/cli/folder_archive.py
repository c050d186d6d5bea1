"""A folder as a zip file."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

#: Folders that are left out, wherever they are.
LEFT_OUT = frozenset({"__pycache__", ".git", ".venv"})
_SAME_TIME = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path, target: IO[bytes]) -> int:
    """Write a folder's files to a zip file. The same files give the same bytes, whenever they were written.

    Args:
        folder: The folder; its own name is not in the archive.
        target: Where the archive goes.

    Returns:
        The number of files.

    Raises:
        OSError: A file cannot be read.
    """
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(folder):
            entry = zipfile.ZipInfo(name, _SAME_TIME)
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                while chunk := source.read(1 << 20):
                    packed.write(chunk)
            count += 1
    return count


def files(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files of a folder in the order of their names, with their names in an archive. Links are followed."""
    yield from _below(folder, "", frozenset({folder.resolve()}))


def _below(folder: Path, prefix: str, above: frozenset[Path]) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            real = path.resolve()
            if path.name not in LEFT_OUT and real not in above:  # a link to a folder above would never end
                yield from _below(path, f"{prefix}{path.name}/", above | {real})
        elif path.is_file():
            yield path, prefix + path.name
