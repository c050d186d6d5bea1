"""Which files a set of paths means."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from datastream.errors import ValidationError


@dataclass(frozen=True)
class FoundFile:
    """A file as it was listed: its path, size in bytes, and time of last change in ns since 1970."""

    path: str
    size: int
    modified_ns: int


def local_path(path: str | os.PathLike[str]) -> str:
    """An absolute path on a mounted file system, from a path or a ``file:`` URI.

    Raises:
        ValidationError: for a URI of another scheme.
    """
    text = os.fspath(path)
    if text.startswith("file:"):
        text = text.removeprefix("file:")
        if text.startswith("//"):
            text = "/" + text.lstrip("/")
    elif "://" in text:
        raise ValidationError(f"the path {text.rpartition('@')[2]} names a remote file system, expected a local path")
    return os.path.abspath(text)


def find_files(paths: Iterable[str]) -> list[FoundFile]:
    """All files under the paths, each once, sorted by path; hidden ones (``.``, ``_``) are left out.

    Files that vanish meanwhile are left out too.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        for name in _names(path):
            try:
                status = os.stat(name)
            except FileNotFoundError:
                continue
            found[name] = FoundFile(name, status.st_size, status.st_mtime_ns)
    return [found[name] for name in sorted(found)]


def check_paths(paths: Iterable[str]) -> None:
    """See that every path is there.

    Raises:
        ValidationError: naming the path, and what was looked for.
    """
    for path in paths:
        if os.path.exists(path):
            if not os.access(path, os.R_OK):
                raise ValidationError(f"FileSource: {path} cannot be read: permission denied")
        elif not glob.has_magic(path):
            raise ValidationError(f"FileSource: no file or folder at {path}")
        elif not glob.glob(path, recursive=True):
            raise ValidationError(f"FileSource: no file or folder matches the pattern {path}")


def _names(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        yield from _under(path)
    elif os.path.exists(path):
        yield path  # named by itself: taken even if it is hidden
    else:
        for match in glob.iglob(path, recursive=True):
            if is_hidden(os.path.basename(match)):
                continue
            if os.path.isdir(match):
                yield from _under(match)
            else:
                yield match


def _under(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder, followlinks=True):
        folders[:] = [name for name in folders if not is_hidden(name)]
        for name in files:
            if not is_hidden(name):
                yield os.path.join(root, name)


def is_hidden(name: str) -> bool:
    """Whether a file or folder of this name is left out where a folder is read."""
    return name.startswith((".", "_"))
