"""A folder of numbered batches of rows: the driver writes them from a DataFrame, the job reads them in order.

id                 a text that no other folder has
rows/7-1f3a/       the Parquet files of batch 7, as Spark has written them
batches/7.json     the note of batch 7, which is there once its files are whole: their names and rows
query/             the checkpoint of the query that writes
removed            the number of the first batch that was not removed
end                the number after the last batch, once no other will come
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from contextlib import suppress
from dataclasses import dataclass

from datastream.errors import CheckpointDamaged
from datastream.io.durable import make_folder, replace_file, sync_folder


@dataclass(frozen=True)
class BatchFile:
    """A Parquet file of a batch.

    Attributes:
        path: Relative to the folder.
        rows: How many rows it has.
    """

    path: str
    rows: int


class Batches:
    """The folder.

    Args:
        folder: Its path, the same for the driver and all workers.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._notes = os.path.join(folder, "batches")
        self._rows = os.path.join(folder, "rows")

    # -- the driver, which writes ------------------------------------------------------------------

    def open(self) -> None:
        """Make the folder unless it is there, and tidy what a driver that was killed has left.

        Raises:
            CheckpointDamaged: The checkpoint of its query has gone, so that its numbers would begin anew.
        """
        for folder in (self._notes, self._rows):
            make_folder(folder, os.path.dirname(self.folder))
        if self.identity() is None:
            self._write("id", uuid.uuid4().hex)
        if self.following() and self.end() is None and not os.path.isdir(self.query):
            raise CheckpointDamaged(
                f"{self.folder} holds batches, and the checkpoint {self.query} of the query that writes them is gone: "
                "restore the folder as a whole, or give the source another location, and the job a new --checkpoint-dir"
            )
        known = {os.path.dirname(file.path) for n in self.numbers() for file in self.files_of(n) or ()}
        for name in os.listdir(self._rows):
            if os.path.join("rows", name) not in known:
                shutil.rmtree(os.path.join(self._rows, name), ignore_errors=True)

    @property
    def query(self) -> str:
        """The checkpoint of the query that writes."""
        return os.path.join(self.folder, "query")

    def new_rows(self, number: int) -> str:
        """A new folder for the files of a batch; nothing reads them before `note`."""
        return os.path.join(self._rows, f"{number}-{uuid.uuid4().hex[:8]}")

    def note(self, number: int, rows: str) -> None:
        """A batch is whole: bring it to the disk, and let it be read.

        Args:
            number: Of the batch.
            rows: The folder of its files.
        """
        from pyarrow import parquet

        files = []
        for name in sorted(os.listdir(rows)):
            if not name.startswith((".", "_")):
                path = os.path.join(rows, name)
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
                files.append((os.path.relpath(path, self.folder), parquet.read_metadata(path).num_rows))
        sync_folder(rows)
        sync_folder(self._rows)
        replace_file(self._note(number), json.dumps(files).encode())

    def set_end(self, end: int | None) -> None:
        """Say that no batch will come from a number on; None: more may come."""
        if end is not None:
            self._write("end", str(end))
        else:
            with suppress(FileNotFoundError):
                os.remove(os.path.join(self.folder, "end"))

    # -- beside the driver, where epochs are planned -----------------------------------------------

    def identity(self) -> str | None:
        """A text that no other folder has; None: the driver has not made it yet."""
        return self._read("id")

    def numbers(self) -> list[int]:
        """The numbers of the batches that are whole and not removed."""
        try:
            names = os.listdir(self._notes)
        except FileNotFoundError:
            return []
        return sorted(int(name[: -len(".json")]) for name in names if name.endswith(".json") and name[0].isdigit())

    def files_of(self, number: int) -> list[BatchFile] | None:
        """The files of a batch, in order; None: it is not there."""
        try:
            with open(self._note(number), "rb") as note:
                return [BatchFile(path, rows) for path, rows in json.loads(note.read())]
        except FileNotFoundError:
            return None

    def removed(self) -> int:
        """The number of the first batch that was not removed."""
        return int(self._read("removed") or 0)

    def following(self) -> int:
        """The number after the last batch that is there, or was."""
        return max(max(self.numbers(), default=-1) + 1, self.removed())

    def end(self) -> int | None:
        """The number after the last batch; None: more may come."""
        found = self._read("end")
        return None if found is None else int(found)

    def remove_before(self, number: int) -> None:
        """Remove the batches before a number: they are read, and not read again."""
        old = [n for n in self.numbers() if n < number]
        if not old:
            return
        self._write("removed", str(number))
        for n in old:
            files = self.files_of(n) or []
            with suppress(FileNotFoundError):
                os.remove(self._note(n))
            for folder in {os.path.dirname(file.path) for file in files}:
                shutil.rmtree(os.path.join(self.folder, folder), ignore_errors=True)

    def _note(self, number: int) -> str:
        return os.path.join(self._notes, f"{number}.json")

    def _read(self, name: str) -> str | None:
        try:
            with open(os.path.join(self.folder, name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def _write(self, name: str, text: str) -> None:
        replace_file(os.path.join(self.folder, name), text.encode())
