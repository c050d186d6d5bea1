"""Which file system a URI means."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from .file_system import FileSystem
from .location import Location

#: By process, kind and access. A client must not be used in a forked process.
_known: dict[tuple[int, str, str], FileSystem] = {}


def file_system(location: Location) -> FileSystem:
    """The file system of a location; the process keeps it.

    Raises:
        ValidationError: the scheme is not known, or a package is missing.
    """
    key = (os.getpid(), location.root, location.access)
    if key not in _known:
        for old in [old for old in _known if old[0] != key[0]]:
            del _known[old]
        _known[key] = _maker(location)()
    return _known[key]


def _maker(location: Location) -> Callable[[], FileSystem]:
    if location.scheme in ("s3", "s3a", "s3n"):
        from .s3 import S3FileSystem

        return partial(S3FileSystem, location)
    if location.scheme in ("http", "https"):
        from .http import HttpFileSystem

        return partial(HttpFileSystem, location)
    from .arrow import ArrowFileSystem

    return partial(ArrowFileSystem, location)
