"""Where this project's own code lies, and how another process finds it."""

from __future__ import annotations

import os

#: The folder of the package, with a separator at its end: file names that begin with it are this project's.
FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def folders() -> list[str]:
    """All folders that the package's files are in: in a checkout, parts of it are links."""
    links = [entry.path for entry in os.scandir(FOLDER) if entry.is_symlink()]
    return [FOLDER.rstrip(os.sep), os.path.realpath(FOLDER), *map(os.path.realpath, links)]


def link_into(folder: str) -> str:
    """Make `datastream`, and nothing that lies beside it, importable from a folder.

    A checkout, like ``site-packages``, holds packages of other names, which must not hide those of a job.

    Args:
        folder: Where to put the folder for Python's path; it is made if it is not there.

    Returns:
        What to put on Python's path.
    """
    path = os.path.join(folder, "lib")
    os.makedirs(path, exist_ok=True)
    link = os.path.join(path, "datastream")
    if not os.path.lexists(link):
        os.symlink(FOLDER.rstrip(os.sep), link)
    return path
