"""Adds an epoch's files to a table's log, in one transaction that also holds the epoch's number."""

from __future__ import annotations

import time
from typing import Any

from datastream.connectors.lakehouse.committer import TransactionCommitter, files_until_end, last_of_keys
from datastream.connectors.lakehouse.naming import job_mark, staging_folder
from datastream.connectors.lakehouse.writers import DELETED
from datastream.errors import CheckpointDamaged, FormatError, UnsupportedOperation
from datastream.io import CommitterContext

from .data_files import DataFile
from .library import deltalake
from .schema import arrow_schema, check_written, delta_schema, required_columns
from .staging import EpochNotes
from .write_settings import DeltaWriteSettings


class DeltaCommitter(TransactionCommitter):
    """Commits epochs. The log's application transaction (``txn``) says which ones it has.

    Args:
        sink: The settings.
        context: Whose epochs they are.
    """

    def __init__(self, sink: DeltaWriteSettings, context: CommitterContext) -> None:
        super().__init__(sink.location.path, context)
        self._sink, self._location = sink, sink.location
        self._mark = job_mark(context.job_id)
        self._app = f"{context.job_id}/{context.uid}"
        self._schema = delta_schema(arrow_schema(sink.row_type, sink.required))
        self._opened: Any = None
        self._notes = EpochNotes(sink.location, staging_folder(context.job_id, context.uid))

    def abort(self, epoch: int, committables: list[Any]) -> None:
        """Nothing: the epoch may be committed all the same; VACUUM removes files that are in no log."""

    def opened_table(self) -> Any:
        table = self._opened
        if table is not None:
            with self._location.reaching():
                table.update_incremental()
        else:
            table = self._location.open()
            if table is None:
                table = self._location.create(self._schema, self._sink.partition_by, dict(self._sink.properties))
        check_written(self._location, table, self._schema, self._sink.partition_by, self._sink.merge_schema)
        self._opened = table
        return table

    def forget_table(self) -> None:
        self._opened = None

    def conflicts(self) -> tuple[type[Exception], ...]:
        return (deltalake().exceptions.CommitFailedError,)

    def is_committed(self, table: Any, epoch: int) -> bool:
        last = table.transaction_version(self._app)
        if last is not None and last > epoch:
            raise CheckpointDamaged(
                f"DeltaSink: the job is at epoch {epoch}, but the table {self._location.path} has epoch {last} of it: "
                "its checkpoint directory is older than the table; restore both from the same time, or give the job "
                "another --checkpoint-dir, and what it writes again will be there twice"
            )
        return bool(last == epoch)

    def pass_over(self, files: list[DataFile]) -> None:
        # Files of the table stay, as these may be the ones that it has; VACUUM knows.
        if self._sink.merges:
            self._location.remove([file.path for file in files])

    def write(self, table: Any, epoch: int, files: list[DataFile], final: bool) -> None:
        with self._location.reaching():
            if self._sink.overwrite:
                self._overwrite(table, epoch, files, final)
            elif files and self._sink.merges:
                self._merge(table, epoch, files)
            elif files:
                self._append(table, epoch, [], files)

    def _append(self, table: Any, epoch: int, removed: list[Any], files: list[DataFile]) -> None:
        library = deltalake()
        there = [field.name for field in table.schema().fields]
        if new := [field for field in self._schema.fields if field.name not in there]:
            table.alter.add_columns(new)
        required = required_columns(table.schema())
        if without := [name for file in files for name in file.nulls if name in required]:
            raise FormatError(f"{self._location.path}: column {without[0]} is NOT NULL, and a row has None")
        added = [
            library.transaction.AddAction(file.path, file.size, dict(file.partition), file.modified, True, file.stats)
            for file in files
        ]
        table.create_write_transaction(
            [*removed, *added],
            "append",
            table.schema(),
            list(self._sink.partition_by),
            commit_properties=self._properties(epoch),
        )

    def _properties(self, epoch: int, max_commit_retries: int | None = None) -> Any:
        library = deltalake()
        return library.CommitProperties(
            max_commit_retries=max_commit_retries, app_transactions=[library.Transaction(self._app, epoch)]
        )

    def _merge(self, table: Any, epoch: int, files: list[DataFile]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        store = self._location.files()
        staged = sorted(files, key=lambda file: file.path)
        rows = pa.concat_tables(
            parquet.read_table(pa.PythonFile(store.open_input_file(file.path), mode="r")) for file in staged
        )
        if len(staged) > 1:
            rows = last_of_keys(rows, self._sink.key)
        self._check_partitions(table, rows)
        names = [name for name in rows.column_names if name != DELETED]
        same = " AND ".join(f"target.{_quoted(name)} = source.{_quoted(name)}" for name in self._sink.key)
        values = {_quoted(name): f"source.{_quoted(name)}" for name in names}
        gone = f"source.{DELETED}"
        merge = table.merge(
            rows,
            same,
            source_alias="source",
            target_alias="target",
            # Retried here: the rows that are matched may be others then.
            commit_properties=self._properties(epoch, max_commit_retries=0),
        )
        merge = merge.when_matched_delete(gone).when_matched_update(values)
        merge.when_not_matched_insert(values, f"NOT {gone}").execute()
        self._location.remove([file.path for file in files])

    def _check_partitions(self, table: Any, rows: Any) -> None:
        import pyarrow.compute as pc
        import pyarrow.types as is_

        required = required_columns(table.schema())
        for name in self._sink.partition_by:
            texts = rows[name]
            if name in required and is_.is_string(texts.type) and pc.any(pc.equal(texts, "")).as_py():
                raise FormatError(
                    f"{self._location.path}: column {name} is NOT NULL, and a row has the empty text, which is NULL as "
                    "a partition"
                )

    # -- a job that overwrites ---------------------------------------------------------------------

    def _overwrite(self, table: Any, epoch: int, files: list[DataFile], final: bool) -> None:
        every = files_until_end(self._notes, epoch, files, final, self._location.remove)
        if every is not None:
            self._append(table, epoch, self._replaced(table, every), every)
            self._notes.drop(epoch)

    def _replaced(self, table: Any, files: list[DataFile]) -> list[Any]:
        """The removal of all files, or of a partitioned table of those of the partitions that get rows.

        What another sink of the job has just written stays.
        """
        from .log import snapshot_files

        library, now = deltalake(), time.time_ns() // 1_000_000
        wanted = {file.partition for file in files}
        removed = []
        for each in snapshot_files(self._location, table):
            if self._mark in each.path:
                continue
            if each.vectors:
                raise UnsupportedOperation(
                    f"the table {self._location.path} has deletion vectors, which INSERT OVERWRITE does not replace: "
                    "run REORG TABLE ... APPLY (PURGE)"
                )
            values = tuple((name, each.partition.get(name) or None) for name in self._sink.partition_by)
            if not self._sink.partition_by or values in wanted:
                action = library.transaction.RemoveAction(each.key, True, now, each.size, dict(values))
                removed.append(action)
        return removed


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
