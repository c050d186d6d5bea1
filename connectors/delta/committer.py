"""Adds an epoch's files to a table's log, in one transaction that also holds the epoch's number."""

from __future__ import annotations

import time
from logging import Logger
from typing import Any

from datastream.errors import CheckpointDamaged, FormatError, JobError, UnsupportedOperation
from datastream.io import Committer, CommitterContext

from .data_files import DataFile
from .library import deltalake
from .location import one_line
from .schema import arrow_schema, check_written, delta_schema, required_columns
from .staging import EpochNotes, job_mark, staging_folder
from .write_settings import WriteSettings
from .writer import DELETED

#: How often a commit is tried that another writer was faster than.
_TRIES = 20


class DeltaCommitter(Committer):
    """Commits epochs. The log's application transaction (``txn``) says which ones it has.

    Args:
        sink: The settings.
        context: Whose epochs they are.
    """

    def __init__(self, sink: WriteSettings, context: CommitterContext) -> None:
        self._sink, self._location = sink, sink.location
        self._mark = job_mark(context.job_id)
        self._app = f"{context.job_id}/{context.uid}"
        self._logger: Logger = context.logger
        self._schema = delta_schema(arrow_schema(sink.row_type, sink.required))
        self._opened: Any = None
        self._notes = EpochNotes(sink.location, staging_folder(context.job_id, context.uid))

    def commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        try:
            self._commit(epoch, committables, final)
        except BaseException:
            self._opened = None
            raise

    def _commit(self, epoch: int, committables: list[Any], final: bool) -> None:
        files = [file for some in committables for file in some]
        error: Exception | None = None
        for tries in range(_TRIES):
            table = self._opened = self._table()
            if self._is_committed(table, epoch):
                # Files of the table stay, as these may be the ones that it has; VACUUM knows.
                if self._sink.merges:
                    self._location.remove([file.path for file in files])
                return
            try:
                with self._location.reaching():
                    self._write(table, epoch, files, final)
                return
            except deltalake().exceptions.CommitFailedError as failed:
                # Another writer was faster; perhaps it was an earlier attempt at this very commit.
                error = failed
                self._logger.warning("the commit to %s is tried again: %s", self._location.path, one_line(failed))
                time.sleep(min(0.05 * 2**tries, 2.0))
        raise JobError(
            f"epoch {epoch} could not be committed to the table {self._location.path} in {_TRIES} tries, as other "
            f"writers change it at the same time: {one_line(error) if error else ''}"
        )

    def abort(self, epoch: int, committables: list[Any]) -> None:
        """Nothing: the epoch may be committed all the same; VACUUM removes files that are in no log."""

    def _table(self) -> Any:
        table = self._opened
        if table is not None:
            with self._location.reaching():
                table.update_incremental()
        else:
            table = self._location.open()
            if table is None:
                table = self._location.create(self._schema, self._sink.partition_by)
        check_written(self._location, table, self._schema, self._sink.partition_by, self._sink.merge_schema)
        return table

    def _is_committed(self, table: Any, epoch: int) -> bool:
        last = table.transaction_version(self._app)
        if last is not None and last > epoch:
            raise CheckpointDamaged(
                f"DeltaSink: the job is at epoch {epoch}, but the table {self._location.path} has epoch {last} of it: "
                "its checkpoint directory is older than the table; restore both from the same time, or give the job "
                "another --checkpoint-dir, and what it writes again will be there twice"
            )
        return bool(last == epoch)

    def _write(self, table: Any, epoch: int, files: list[DataFile], final: bool) -> None:
        if self._sink.overwrite:
            self._overwrite(table, epoch, files, final)
        elif not files:
            return
        elif self._sink.merges:
            self._merge(table, epoch, files)
        else:
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

    def _properties(self, epoch: int) -> Any:
        library = deltalake()
        return library.CommitProperties(app_transactions=[library.Transaction(self._app, epoch)])

    def _merge(self, table: Any, epoch: int, files: list[DataFile]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        store = self._location.files()
        staged = sorted(files, key=lambda file: file.path)
        rows = pa.concat_tables(
            parquet.read_table(pa.PythonFile(store.open_input_file(file.path), mode="r")) for file in staged
        )
        if len(staged) > 1:
            rows = _last_of_keys(rows, self._sink.key)
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
            commit_properties=deltalake().CommitProperties(
                max_commit_retries=0, app_transactions=[deltalake().Transaction(self._app, epoch)]
            ),
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
        """Keep the epoch's files, and with the last one put all in the place of what is there."""
        noted = self._notes.files_of(epoch)
        if noted is None:
            self._notes.keep(epoch, files)
        elif {file.path for file in noted} != {file.path for file in files}:
            self._location.remove([file.path for file in files])
        if not final:
            return
        every = [file for number in range(epoch + 1) for file in self._notes.files_of(number) or ()]
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


def _last_of_keys(rows: Any, key: tuple[str, ...]) -> Any:
    """The last row of each key in an Arrow table: subtasks may have rows of one key where the query does not update."""
    import pyarrow as pa

    numbered = rows.select(list(key)).append_column("", pa.array(range(rows.num_rows), pa.int64()))
    last = numbered.group_by(list(key), use_threads=False).aggregate([("", "max")])
    return rows.take(last["_max"])


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
