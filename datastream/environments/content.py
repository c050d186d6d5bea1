"""What files and folders hold, as a digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

_CHUNK = 1 << 20
_NOT_CONTENT = ("__pycache__",)


def digest(*parts: object) -> str:
    """A short name for what was given, in hexadecimal digits."""
    return hashlib.sha256("\0".join(str(part) for part in parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def digest_of(path: str) -> str:
    """The digest of a file's content, or of the names and contents of all that is in a folder.

    Raises:
        OSError: It cannot be read.
    """
    found = hashlib.sha256()
    if not os.path.isdir(path):
        _add(found, path)
        return found.hexdigest()[:32]
    for file in sorted(content_of(path)):
        found.update(f"\0{file}\0{os.access(os.path.join(path, file), os.X_OK)}\0".encode("utf-8", "surrogateescape"))
        _add(found, os.path.join(path, file))
    return found.hexdigest()[:32]


def content_of(folder: str) -> Iterable[str]:
    """The files of a folder, by their paths in it, without what Python compiled."""
    for place, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if name not in _NOT_CONTENT]
        for name in files:
            if not name.endswith(".pyc"):
                yield str(Path(place, name).relative_to(folder))


def _add(found: hashlib._Hash, path: str) -> None:
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
