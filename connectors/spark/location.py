"""Where rows lie on their way between a job and Spark."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from datastream.errors import ValidationError
from datastream.io import Spool


def checked_location(location: str | PathLike[str] | None, of: str) -> str | None:
    """The path of a folder that a user gives.

    Raises:
        ValidationError: It is not on a file system that is reached by paths.
    """
    if location is None:
        return None
    path = fspath(location).removeprefix("file://")
    if "://" in path:
        raise ValidationError(
            f"{of}: location must be a folder that the driver and all workers reach by the same path, got {path}"
        )
    return str(Path(path).absolute())


def folder_of(location: str | None, spool: Spool) -> str:
    """The folder: the one that was given, else one of the checkpoint directory.

    Args:
        location: What was given.
        spool: The source's or sink's.

    Raises:
        UnsupportedOperation: None was given, and the checkpoint directory is on a remote file system.
    """
    return location or spool.beside("spark")
