"""What a remote file system must offer to a source, and which one a URI means."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial

from datastream.connectors.files.listing import FoundFile

from .location import Location


class FileSystem(ABC):
    """Reads the files of one bucket or host.

    All calls raise ConnectionError when it does not answer, and `JobError` when it refuses.

    Attributes:
        listable: Whether it can say which files there are.
        replaced: Whether a file changes only as a whole, so that another size means another file.
    """

    listable: bool = True
    replaced: bool = True

    @abstractmethod
    def stat(self, uri: str) -> FoundFile | None:
        """The file of a URI; None: there is none, or it is a folder."""

    @abstractmethod
    def find(self, prefix: str, after: str = "") -> Iterator[FoundFile]:
        """All files whose URIs begin with a prefix, in an order of their names that is always the same.

        Args:
            prefix: What the URIs begin with.
            after: Only those behind this URI; empty: all.
        """

    @abstractmethod
    def opened(self, uri: str, size: int) -> tuple[Callable[[int, int], bytes], Callable[[], None] | None]:
        """What gives a file's bytes from one offset to another, and what closes it.

        Args:
            uri: The file.
            size: What it was listed with. A file that has changed since, or is gone, gives a `JobError`.
        """


#: By process, kind and access. A client must not be used in a forked process.
_known: dict[tuple[int, str, str], FileSystem] = {}


def file_system(location: Location) -> FileSystem:
    """The file system of a location; the process keeps it.

    Raises:
        ValidationError: nobody knows the scheme, or a package is missing.
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
