"""Opens a part of a remote file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datastream.connectors.files.parts import is_compressed

from .file_systems import file_system
from .location import Location
from .ranged_file import RangedFile

if TYPE_CHECKING:
    from datastream.connectors.files.parts import FilePart


def open_remote(part: FilePart) -> RangedFile:
    """The bytes of a part's file, as they are stored.

    Raises (while it reads):
        JobError: the file is gone, or is not the one that was planned.
        ConnectionError: the file system does not answer.
    """
    fetch, close = file_system(Location(part.path, part.access)).opened(part.path, part.size)
    return RangedFile(fetch, part.size, part.size if is_compressed(part.path) else part.end, close)
