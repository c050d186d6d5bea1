"""Adds an epoch's files to a table, in one snapshot whose summary has the epoch's number."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from datastream.connectors.lakehouse.committer import TransactionCommitter, files_until_end, last_of_keys
from datastream.connectors.lakehouse.naming import job_mark, staging_folder
from datastream.connectors.lakehouse.writers import DELETED
from datastream.errors import CheckpointDamaged, FormatError, JobError
from datastream.io import CommitterContext

from .data_files import WrittenFile, remove_files
from .location import OpenedCatalog
from .merging import merged
from .overwriting import EpochNotes, replaced
from .schema import required_columns
from .snapshots import head_of, lineage
from .write_settings import IcebergWriteSettings

_JOB, _UID, _EPOCH = "datastream.job-id", "datastream.uid", "datastream.epoch"


class IcebergCommitter(TransactionCommitter):
    """Commits epochs. The summaries of the snapshots say which ones the table has.

    Args:
        sink: The settings.
        context: Whose epochs they are.
    """

    def __init__(self, sink: IcebergWriteSettings, context: CommitterContext) -> None:
        super().__init__(sink.location.name, context)
        self._sink, self._location, self._context = sink, sink.location, context
        self._catalog = OpenedCatalog(sink.location)
        self._mark = job_mark(context.job_id)
        self._folder = staging_folder(context.job_id, context.uid)

    def abort(self, epoch: int, committables: list[Any]) -> None:
        """Nothing: the epoch may be committed all the same; removing orphan files takes files of no snapshot away."""

    def opened_table(self) -> Any:
        table = self._sink.prepared(self._catalog)
        # Tried again by this committer alone, which looks for its epoch first.
        once = {**table.metadata.properties, "commit.retry.num-retries": "0"}
        table.metadata = table.metadata.model_copy(update={"properties": once})
        return table

    def forget_table(self) -> None:
        with suppress(Exception):
            self._catalog.close()

    def close(self) -> None:
        self._catalog.close()

    def conflicts(self) -> tuple[type[Exception], ...]:
        from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException, ValidationException

        return CommitFailedException, CommitStateUnknownException, ValidationException

    def is_committed(self, table: Any, epoch: int) -> bool:
        for snapshot in lineage(table, head_of(self._location, table)):
            summary = snapshot.summary.additional_properties if snapshot.summary is not None else {}
            if summary.get(_JOB) != self._context.job_id or summary.get(_UID) != self._context.uid:
                continue
            last = int(summary[_EPOCH])
            if last > epoch:
                raise CheckpointDamaged(
                    f"IcebergSink: the job is at epoch {epoch}, but the table {self._location.name} has epoch {last} "
                    "of it: its checkpoint directory is older than the table; restore both from the same time, or give "
                    "the job another --checkpoint-dir, and what it writes again will be there twice"
                )
            return last == epoch
        return False

    def pass_over(self, files: list[WrittenFile]) -> None:
        if self._sink.merges and files:
            remove_files(self._catalog.there().io, [file.path for file in files])

    def write(self, table: Any, epoch: int, files: list[WrittenFile], final: bool) -> None:
        with self._location.reaching():
            if self._sink.overwrite:
                self._overwrite(table, epoch, files, final)
            elif files and self._sink.merges:
                self._merge(table, epoch, files)
            elif files:
                self._replace(table, epoch, [], files)

    def _overwrite(self, table: Any, epoch: int, files: list[WrittenFile], final: bool) -> None:
        self._check_nulls(table, files)
        notes = EpochNotes(table, self._folder)
        every = files_until_end(notes, epoch, files, final, lambda paths: remove_files(table.io, paths))
        if every is not None:
            self._replace(table, epoch, replaced(self._location, table, every, self._mark), every)
            notes.drop(epoch)

    def _check_nulls(self, table: Any, files: list[WrittenFile]) -> None:
        required = required_columns(table)
        if without := [name for file in files for name in file.nulls if name in required]:
            raise FormatError(f"{self._location.name}: column {without[0]} is NOT NULL, and a row has None")

    def _replace(self, table: Any, epoch: int, removed: list[Any], files: list[WrittenFile]) -> None:
        """Add files in the place of others, in one snapshot."""
        self._check_nulls(table, files)
        if any(file.data_file.spec_id != table.metadata.default_spec_id for file in files):
            raise JobError(
                f"the partitions of the table {self._location.name} were changed while epoch {epoch} was written: "
                "start the job again"
            )
        properties = {_JOB: self._context.job_id, _UID: self._context.uid, _EPOCH: str(epoch)}
        transaction = table.transaction()
        update = transaction.update_snapshot(properties, self._location.branch)
        with update.overwrite() if removed else update.merge_append() as snapshot:
            for each in removed:
                snapshot.delete_data_file(each)
            for file in files:
                snapshot.append_data_file(file.data_file)
        transaction.commit_transaction()

    def _merge(self, table: Any, epoch: int, files: list[WrittenFile]) -> None:
        import pyarrow as pa
        from pyarrow import parquet
        from pyiceberg.exceptions import CommitFailedException, ValidationException

        tables = []
        for file in sorted(files, key=lambda file: file.path):
            with table.io.new_input(file.path).open() as stream:
                tables.append(parquet.read_table(stream))
        changes = pa.concat_tables(tables)
        if without := [name for name in self._sink.key if changes[name].null_count]:
            raise FormatError(f"{self._location.name}: column {without[0]} is a key, and a row has None")
        if len(files) > 1:
            changes = last_of_keys(changes, self._sink.key)
        new = changes.filter(pa.compute.invert(changes[DELETED])).drop_columns([DELETED])
        found = merged(self._location, table, changes.select(list(self._sink.key)), new, f"merge-{epoch}")
        try:
            if found.removed or found.added:
                self._replace(table, epoch, found.removed, found.added)
        except (CommitFailedException, ValidationException):
            # Nothing was committed; what the table has now may be merged otherwise.
            remove_files(table.io, [file.path for file in found.added])
            raise
        remove_files(table.io, [file.path for file in files])
