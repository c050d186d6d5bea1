"""Files that the job registered for its functions."""

from __future__ import annotations

import os

from datastream.errors import ValidationError, cut


class DistributedCache:
    """The files of ``env.register_cached_file``, on the machine that the function runs on.

    The names are those of Java's class; PyFlink registers such files, but does not let functions read them.

    Args:
        folder: Where they are; None: there are none.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder

    def get_file(self, name: str) -> str:
        """The path of a registered file or folder. Read it only: other jobs may share it.

        Args:
            name: As it was registered.

        Raises:
            ValidationError: No file was registered under this name.
        """
        path = os.path.join(self._folder or "", str(name))
        if self._folder is None or "/" in str(name) or not os.path.exists(path):
            known = sorted(os.listdir(self._folder)) if self._folder else []
            there = f"there are {', '.join(known)}" if known else "none was registered"
            raise ValidationError(
                f"no cached file is called {cut(name)}; {there}: env.register_cached_file(path, name)"
            )
        return path
