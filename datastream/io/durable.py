"""What has reached the disk: a file's content once it was synchronised, its name only once its folder was."""

from __future__ import annotations

import os


def make_folder(folder: str, top: str) -> None:
    """Make a folder and those above it, and bring the names of all of them to the disk.

    Also of those that are there: who made them may have failed before it came that far. So call it once, not each time.

    Args:
        folder: The folder.
        top: A folder above it. Its own name is safe if it is there, else that of the nearest one above that is.
    """
    top = os.path.abspath(top)
    while not os.path.isdir(top) and top != os.path.dirname(top):
        top = os.path.dirname(top)
    os.makedirs(folder, exist_ok=True)
    folder = os.path.abspath(folder)
    while folder != top:
        folder = os.path.dirname(folder)
        sync_folder(folder)


def replace_file(path: str | os.PathLike[str], data: bytes, fsync: bool = True) -> None:
    """Write a file as a whole: after a loss of power it has its old content or the new one.

    Args:
        path: Of the file.
        data: Its new content.
        fsync: False: that holds after the end of a process only.
    """
    folder, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(folder, f".{name}.tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        if fsync:
            file.flush()
            os.fsync(file.fileno())
    os.replace(temporary, path)
    if fsync:
        sync_folder(folder)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Bring a folder's names to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
