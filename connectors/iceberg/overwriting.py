"""A job that overwrites a table: its files wait for the job's end, and then take the place of others."""

from __future__ import annotations

from typing import Any

from .data_files import WrittenFile, remove_files
from .location import IcebergLocation
from .merging import files_with


class EpochNotes:
    """The files of epochs that wait for the job's end: manifests in a folder beside the table's data.

    A manifest counts when there is an empty file beside it, which is made after it: a process may die while it writes.

    Args:
        table: The table, opened.
        folder: Where they are kept, relative to the table, with ``/`` at its end.
    """

    def __init__(self, table: Any, folder: str) -> None:
        self._table, self._folder = table, f"{table.location().rstrip('/')}/{folder}"

    def files_of(self, epoch: int) -> list[WrittenFile] | None:
        """What an epoch has written; None: there is no note of it."""
        from pyiceberg.manifest import ManifestContent, ManifestFile

        path = self._path(epoch)
        if not self._table.io.new_input(self._whole(epoch)).exists():
            return None
        note = ManifestFile.from_args(
            manifest_path=path,
            manifest_length=0,
            partition_spec_id=self._table.metadata.default_spec_id,
            content=ManifestContent.DATA,
            sequence_number=0,
            min_sequence_number=0,
            added_snapshot_id=0,
        )
        files = [entry.data_file for entry in note.fetch_manifest_entry(self._table.io)]
        return [WrittenFile(file.file_path, file.file_size_in_bytes, file) for file in files]

    def keep(self, epoch: int, files: list[WrittenFile]) -> None:
        """Note an epoch, if it has files."""
        from pyiceberg.manifest import ManifestEntry, ManifestEntryStatus, write_manifest

        if not files:
            return
        table, status = self._table, ManifestEntryStatus.ADDED
        output = table.io.new_output(self._path(epoch))
        with write_manifest(2, table.spec(), table.schema(), output, 0, "deflate") as manifest:
            for file in files:
                manifest.add(ManifestEntry.from_args(status=status, snapshot_id=0, data_file=file.data_file))
        with table.io.new_output(self._whole(epoch)).create(overwrite=True):
            pass

    def drop(self, epochs: int) -> None:
        """Remove the notes of all epochs up to one."""
        paths = [path(epoch) for epoch in range(epochs + 1) for path in (self._whole, self._path)]
        remove_files(self._table.io, paths)

    def _path(self, epoch: int) -> str:
        return f"{self._folder}{epoch}.avro"

    def _whole(self, epoch: int) -> str:
        return f"{self._folder}{epoch}.whole"


def replaced(location: IcebergLocation, table: Any, files: list[WrittenFile], mark: str) -> list[Any]:
    """What files take the place of: all that the table has, or in a partitioned table those of the same partitions.

    Args:
        location: The table.
        table: The same, as it is now.
        files: New ones.
        mark: In the names of the job's files; what another sink of the job has just written stays.
    """
    from pyiceberg.expressions import AlwaysTrue

    wanted = {_partition(file.data_file) for file in files}
    there = [task.file for task in files_with(location, table, AlwaysTrue())]
    partitioned = bool(table.spec().fields)
    return [file for file in there if mark not in file.file_path and (not partitioned or _partition(file) in wanted)]


def _partition(file: Any) -> tuple[Any, ...]:
    return (file.spec_id, *(file.partition[i] for i in range(len(file.partition))))
