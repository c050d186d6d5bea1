"""What files and folders hold, as a digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from .needs import EnvironmentRefused

_CHUNK = 1 << 20
_NOT_CONTENT = ("__pycache__",)


def digest(*parts: object) -> str:
    """A short name for what was given, in hexadecimal digits."""
    return hashlib.sha256("\0".join(str(part) for part in parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def digest_of(path: str) -> str:
    """The digest of a file's content, or of the names and contents of all that is in a folder.

    Raises:
        EnvironmentRefused: It cannot be read.
    """
    try:
        return _digest_of(path)
    except OSError as error:
        raise EnvironmentRefused(f"{error.filename or path} cannot be read: {error.strerror}") from error


def _digest_of(path: str) -> str:
    found = hashlib.sha256()
    if not os.path.isdir(path):
        if not os.path.isfile(path):
            raise OSError(0, "it is no file", path)
        _add(found, path)
        return found.hexdigest()[:32]
    for file in sorted(content_of(path)):
        found.update(f"\0{file}\0{os.access(os.path.join(path, file), os.X_OK)}\0".encode("utf-8", "surrogateescape"))
        _add(found, os.path.join(path, file))
    return found.hexdigest()[:32]


def content_of(folder: str) -> Iterable[str]:
    """The files of a folder, by their paths in it, without what Python compiled.

    Links count as what they lead to. What leads nowhere, or back, and what is no file, such as a pipe, is left out.
    """
    for place, folders, files in os.walk(folder, followlinks=True):
        above = {os.path.realpath(place), *map(str, Path(os.path.realpath(place)).parents)}
        names = [name for name in folders if name not in _NOT_CONTENT]
        folders[:] = [name for name in names if os.path.realpath(os.path.join(place, name)) not in above]
        for name in files:
            path = os.path.join(place, name)
            if not name.endswith(".pyc") and os.path.isfile(path):
                yield os.path.relpath(path, folder)


def _add(found: hashlib._Hash, path: str) -> None:
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
