"""A folder as a zip file."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

_CACHE = "__pycache__"
#: Files by which a virtual environment is known, whatever its name.
_OF_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
_SAME_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass
class Selection:
    """Which files of a folder are taken.

    Left out are names that begin with a dot, which often hold credentials; links that lead out of the folder; virtual
    environments and ``__pycache__``.

    Attributes:
        include: Patterns of paths below the folder that are taken nonetheless.
        roots: Other folders that links may lead to.
        left_out: Path below the folder -> why it was left out; filled as the files are listed.
    """

    include: Sequence[str] = ()
    roots: tuple[Path, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)

    def takes(self, path: Path, name: str, roots: tuple[Path, ...]) -> bool:
        """Whether a file or folder is taken.

        Args:
            path: Where it is.
            name: Its path below the folder.
            roots: Where links may lead to.
        """
        if path.name == _CACHE:
            return False
        why = _why_not(path, (*roots, *self.roots))
        if why is None or any(fnmatchcase(name, pattern.removeprefix("./").rstrip("/")) for pattern in self.include):
            return True
        self.left_out[name] = why
        return False


def pack(folder: Path, target: IO[bytes], selection: Selection | None = None) -> int:
    """Write a folder's files to a zip file. The same files give the same bytes, whenever they were written.

    Args:
        folder: The folder; its own name is not in the archive.
        target: Where the archive goes.
        selection: Which files; None: the usual ones.

    Returns:
        The number of files.

    Raises:
        OSError: A file cannot be read.
    """
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(folder, selection):
            entry = zipfile.ZipInfo(name, _SAME_TIME)
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                while chunk := source.read(1 << 20):
                    packed.write(chunk)
            count += 1
    return count


def files(folder: Path, selection: Selection | None = None) -> Iterator[tuple[Path, str]]:
    """The files of a folder in the order of their names, with their names in an archive.

    Args:
        folder: The folder.
        selection: Which files; None: the usual ones.
    """
    real = folder.resolve()
    yield from _below(folder, "", (real,), (real,), selection or Selection())


def _below(
    folder: Path, prefix: str, above: tuple[Path, ...], roots: tuple[Path, ...], selection: Selection
) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.iterdir()):
        name = prefix + path.name
        if not selection.takes(path, name, roots):
            continue
        if path.is_dir():
            real = path.resolve()
            if real not in above:  # a link to a folder above would never end
                inside = any(real.is_relative_to(root) for root in roots)
                within = roots if inside else (*roots, real)  # whoever names a link wants what follows it
                yield from _below(path, f"{name}/", (*above, real), within, selection)
        elif path.is_file():
            yield path, name


def _why_not(path: Path, roots: tuple[Path, ...]) -> str | None:
    if path.name.startswith("."):
        return "its name begins with a dot"
    if path.is_symlink():
        real = path.resolve()
        root = next((root for root in roots if real.is_relative_to(root)), None)
        if root is None:
            return f"a link out of the folder, to {os.readlink(path)}"
        if any(part.startswith(".") for part in real.relative_to(root).parts):
            return f"a link to what is left out, {os.readlink(path)}"
    if path.is_dir() and any((path / name).exists() for name in _OF_ENVIRONMENTS):
        return "a virtual environment"
    return None
