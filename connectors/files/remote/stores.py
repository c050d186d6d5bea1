"""Which store a base path has."""

from __future__ import annotations

from datastream.errors import ValidationError

from .location import Location
from .store import Store


def write_empty_file(folder: Location, name: str) -> None:
    """Write an empty file; again is the same.

    Args:
        folder: Where.
        name: Its name.
    """
    store(folder, "", "").write_empty(name)


def store(base: Location, uid_folder: str, owner: str) -> Store:
    """The store of a base path.

    Args:
        base: The base path.
        uid_folder: The hidden folder of the sink, relative to it.
        owner: Of the job and the sink; the state is its own.

    Raises:
        ValidationError: it cannot be written.
    """
    if base.scheme in ("http", "https"):
        raise ValidationError(f"FileSink: {base.uri} is on a web server, which files can only be read from")
    if base.scheme in ("s3", "s3a", "s3n"):
        from .s3_uploads import S3Uploads

        return S3Uploads(base, uid_folder, owner)
    from .staged_files import StagedFiles

    return StagedFiles(base, uid_folder, owner)
