"""What a sink keeps beside the files of its table, in a folder that readers and VACUUM of Delta Lake leave alone."""

from __future__ import annotations

import json
from dataclasses import asdict

from .data_files import DataFile
from .location import DeltaLocation


class EpochNotes:
    """The files of epochs that wait for the end of a job that overwrites.

    delta-rs shows a file once it is closed, also a local one, which it writes beside its place: no note is cut off.

    Args:
        location: The table.
        folder: Where they are kept, relative to the table, with ``/`` at its end.
    """

    def __init__(self, location: DeltaLocation, folder: str) -> None:
        self._location, self._folder = location, folder

    def files_of(self, epoch: int) -> list[DataFile] | None:
        """What an epoch has written; None: there is no note of it."""
        data = self._location.read(self._path(epoch))
        if data is None:
            return None
        return [
            DataFile(**{**each, "partition": tuple(map(tuple, each["partition"])), "nulls": tuple(each["nulls"])})
            for each in json.loads(data)
        ]

    def keep(self, epoch: int, files: list[DataFile]) -> None:
        """Note an epoch."""
        self._location.make_folder()
        with self._location.reaching():
            file = self._location.files().open_output_stream(self._path(epoch))
            file.write(json.dumps([asdict(each) for each in files]).encode())
            file.close()

    def drop(self, epochs: int) -> None:
        """Remove the notes of all epochs up to one."""
        self._location.remove([self._path(epoch) for epoch in range(epochs + 1)])

    def _path(self, epoch: int) -> str:
        return f"{self._folder}{epoch}.json"
