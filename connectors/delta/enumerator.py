"""Which rows of which files of a table an epoch holds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from datastream.connectors.lakehouse.read_settings import check_columns
from datastream.connectors.lakehouse.rows_of_files import VersionsEnumerator
from datastream.errors import JobError, UnsupportedOperation

from .log import LoggedFile, change_of, checkpointed_version, snapshot_files
from .read_settings import DeltaReadSettings
from .schema import check_read
from .start import open_version


class DeltaEnumerator(VersionsEnumerator):
    """Counts the rows of versions.

    An offset is the version and the row within it that come next, and whether the version is read as a whole, with all
    files that it has, or what it has added::

        {"version": 7, "row": 120, "whole": true}

    Args:
        source: The settings.
    """

    def __init__(self, source: DeltaReadSettings) -> None:
        super().__init__(source.is_bounded)
        self._source, self._location = source, source.location
        self._known: dict[tuple[int, bool], list[LoggedFile]] = {}
        self._looked_at = float("-inf")

    def check(self) -> None:
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

    def commit(self, offset: dict[str, Any]) -> None:
        """Forget what was read."""
        for version, whole in list(self._known):
            if version < offset["version"]:
                del self._known[version, whole]

    def files_of(self, offset: dict[str, Any], look: bool = False) -> list[LoggedFile] | None:
        version, whole = offset["version"], offset["whole"]
        if (version, whole) not in self._known:
            if whole:
                table = open_version(self._location, version)
                self._known[version, whole] = self._counted(snapshot_files(self._location, table))
            else:
                files = self._added(version, look)
                if files is None and look:
                    raise self._gone(version)
                if files is None:
                    return None
                self._known[version, whole] = files
        return self._known[version, whole]

    def after(self, offset: dict[str, Any], look: bool = False) -> dict[str, Any]:
        return _offset(offset["version"] + 1, 0, False)

    def same_version(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        return bool(one["version"] == other["version"] and one["whole"] == other["whole"])

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

        def fit(found: Any, wanted: Any, name: str) -> object:
            return fitting(found, wanted, Times(), False, name)

        check_columns(self._source.row_type, there, self._location.path, fit)


def _arrow_of(schema: str) -> Any:
    import pyarrow as pa

    from .library import deltalake

    return pa.schema(deltalake().Schema.from_json(schema).to_arrow())


def _offset(version: int, row: int, whole: bool) -> dict[str, Any]:
    return {"version": version, "row": row, "whole": whole}
