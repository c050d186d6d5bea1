"""Which rows of which files of a table an epoch holds."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datastream.errors import FormatError, JobError, UnsupportedOperation, ValidationError, cut
from datastream.io import SplitEnumerator

from .log import LoggedFile, change_of, checkpointed_version, snapshot_files
from .read_settings import ReadSettings
from .schema import check_read
from .start import open_version

#: How long new versions are looked through at a time, in s.
_LOOK_S = 0.3


@dataclass(frozen=True)
class RowsOfFile:
    """Some rows of a file.

    Attributes:
        file: The file; its `rows` are known.
        start: The first row.
        end: The row after the last one.
    """

    file: LoggedFile
    start: int
    end: int


class DeltaEnumerator(SplitEnumerator):
    """Counts the rows of versions.

    An offset is the version and the row within it that come next, and whether the version is read as a whole, with all
    files that it has, or what it has added::

        {"version": 7, "row": 120, "whole": true}

    Args:
        source: The settings.
    """

    def __init__(self, source: ReadSettings) -> None:
        self._source, self._location = source, source.location
        self._known: dict[tuple[int, bool], list[LoggedFile]] = {}
        self._looked_at = float("-inf")

    @property
    def repeatable(self) -> bool:  # type: ignore[override]
        return self._source.is_bounded

    def check(self) -> None:
        """See that the table is there, and has the columns.

        Raises:
            ValidationError: It has not.
            UnsupportedOperation: It cannot be read.
        """
        start = self._source.start
        if start.only_changes:
            start.first_change(self._location)
            self._check_table(open_version(self._location, None))
        else:
            self._check_table(open_version(self._location, start.version_of(self._location)))

    def initial_offset(self) -> dict[str, Any]:
        start = self._source.start
        if start.only_changes:
            return _offset(start.first_change(self._location), 0, False)
        table = open_version(self._location, start.version_of(self._location))
        self._check_table(table)
        self._known[table.version(), True] = self._counted(snapshot_files(self._location, table))
        return _offset(table.version(), 0, True)

    def latest_offset(self, start: dict[str, Any], budget: int) -> dict[str, Any]:
        end, left, deadline = start, max(budget, 1), time.monotonic() + _LOOK_S
        while left > 0:
            files = self._files(end)
            if files is None:
                break
            rows = sum(file.rows or 0 for file in files)
            if rows - end["row"] > left:
                return {**end, "row": end["row"] + left}
            left -= rows - end["row"]
            if self._source.is_bounded:
                return {**end, "row": rows}
            end = _offset(end["version"] + 1, 0, False)
            if time.monotonic() > deadline:
                break
        return end

    def splits(self, start: dict[str, Any], end: dict[str, Any], parallelism: int) -> list[list[RowsOfFile]]:
        parts = list(self._between(start, end))
        share = max(-(-sum(part.end - part.start for part in parts) // max(parallelism, 1)), 1)
        splits: list[list[RowsOfFile]] = []
        room = 0
        for part in parts:
            at = part.start
            while at < part.end:
                if not room:
                    splits.append([])
                    room = share
                stop = min(part.end, at + room)
                splits[-1].append(replace(part, start=at, end=stop))
                room -= stop - at
                at = stop
        return splits

    def finished(self, offset: dict[str, Any]) -> bool:
        if not self._source.is_bounded:
            return False
        files = self._files(offset)
        return files is not None and offset["row"] >= sum(file.rows or 0 for file in files)

    def commit(self, offset: dict[str, Any]) -> None:
        """Forget what was read."""
        for version, whole in list(self._known):
            if version < offset["version"]:
                del self._known[version, whole]

    def _between(self, start: dict[str, Any], end: dict[str, Any]) -> Iterator[RowsOfFile]:
        at = start
        while True:
            last = at["version"] == end["version"] and at["whole"] == end["whole"]
            stop = end["row"] if last else None
            if stop != at["row"]:
                yield from _rows(self._there(at), at["row"], stop)
            if last:
                return
            at = _offset(at["version"] + 1, 0, False)

    def _there(self, offset: dict[str, Any]) -> list[LoggedFile]:
        files = self._files(offset, look=True)
        if files is None:
            raise self._gone(offset["version"])
        return files

    def _files(self, offset: dict[str, Any], look: bool = False) -> list[LoggedFile] | None:
        """The files of a version; None: it is not there yet."""
        version, whole = offset["version"], offset["whole"]
        if (version, whole) not in self._known:
            if whole:
                table = open_version(self._location, version)
                self._known[version, whole] = self._counted(snapshot_files(self._location, table))
            else:
                files = self._added(version, look)
                if files is None:
                    return None
                self._known[version, whole] = files
        return self._known[version, whole]

    def _added(self, version: int, look: bool) -> list[LoggedFile] | None:
        """What a version has added."""
        now = time.monotonic()
        if not look and self._looked_at + (self._source.interval_ms or 0) / 1000 > now:
            return None
        change = change_of(self._location, version)
        if change is None:
            self._looked_at = now
            # The log loses entries only after a checkpoint of them.
            if checkpointed_version(self._location) > version and change_of(self._location, version) is None:
                raise self._gone(version)
            return None
        name = f"version {version} of the table {self._location.path}"
        if change.features is not None:
            check_read(self._location, {}, change.features)
        if change.metadata is not None:
            check_read(self._location, change.metadata.get("configuration") or {}, ())
            self._check_columns(_arrow_of(change.metadata["schemaString"]))
        if change.removed and not self._source.ignore_changes:
            if change.added:
                raise UnsupportedOperation(
                    f"{name} rewrites rows (an UPDATE, MERGE, DELETE or an overwrite), which a stream of new rows "
                    "cannot tell: set ignoreChanges to read the rewritten files as new rows, or start from a later "
                    "version"
                )
            if not self._source.ignore_deletes:
                raise UnsupportedOperation(
                    f"{name} deletes rows, which a stream of new rows cannot tell: set ignoreDeletes to pass it over, "
                    "or start from a later version"
                )
        return self._counted(change.added)

    def _gone(self, version: int) -> JobError:
        return JobError(
            f"version {version} of the table {self._location.path} is gone from its log, and was not read: it was "
            "older than delta.logRetentionDuration. Start from a later version, with another --checkpoint-dir"
        )

    def _counted(self, files: Sequence[LoggedFile]) -> list[LoggedFile]:
        """The files with the numbers of their rows."""
        if vectored := [file for file in files if file.vectors]:
            raise UnsupportedOperation(
                f"the file {vectored[0].key} of the table {self._location.path} has a deletion vector, which this "
                "source does not heed: run REORG TABLE ... APPLY (PURGE), or set delta.enableDeletionVectors to false"
            )
        return [file if file.rows is not None else replace(file, rows=self._rows_of(file)) for file in files]

    def _rows_of(self, file: LoggedFile) -> int:
        import pyarrow as pa
        from pyarrow import parquet

        with self._location.reaching():
            stream = self._location.files().open_input_file(file.key)
            return int(parquet.read_metadata(pa.PythonFile(stream, mode="r")).num_rows)

    def _check_table(self, table: Any) -> None:
        import pyarrow as pa

        check_read(self._location, table.metadata().configuration, table.protocol().reader_features or ())
        self._check_columns(pa.schema(table.schema().to_arrow()))

    def _check_columns(self, there: Any) -> None:
        from datastream.formats.columnar.columns import Times, fitting
        from datastream.types.arrow import to_arrow_schema

        for field in to_arrow_schema(self._source.row_type):
            if field.name not in there.names:
                raise ValidationError(
                    f"the table {self._location.path} has no column {cut(field.name)}; it has {cut(there.names)}"
                )
            try:
                fitting(there.field(field.name).type, field.type, Times(), False, field.name)
            except FormatError as error:
                raise ValidationError(f"the table {self._location.path}: {error}") from None


def _arrow_of(schema: str) -> Any:
    import pyarrow as pa

    from .library import deltalake

    return pa.schema(deltalake().Schema.from_json(schema).to_arrow())


def _offset(version: int, row: int, whole: bool) -> dict[str, Any]:
    return {"version": version, "row": row, "whole": whole}


def _rows(files: Sequence[LoggedFile], start: int, end: int | None) -> Iterator[RowsOfFile]:
    """The parts of files between two rows of a version."""
    first = 0
    for file in files:
        count = file.rows or 0
        low, high = max(start - first, 0), count if end is None else min(end - first, count)
        if low < high:
            yield RowsOfFile(file, low, high)
        first += count
