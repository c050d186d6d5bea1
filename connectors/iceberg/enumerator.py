"""Which rows of which files of a table an epoch holds."""

from __future__ import annotations

import time
from typing import Any

from datastream.connectors.lakehouse.read_settings import check_columns
from datastream.connectors.lakehouse.rows_of_files import VersionsEnumerator
from datastream.errors import JobError, UnsupportedOperation

from .location import OpenedCatalog
from .planned import PlannedFile, files_added_by, files_of_snapshot
from .read_settings import IcebergReadSettings
from .schema import fit_of
from .snapshots import head_of, lineage
from .start import ADDED, NOTHING, WHOLE


class IcebergEnumerator(VersionsEnumerator):
    """Counts the rows of snapshots.

    An offset is the snapshot and the row within it that come next, and what is read of the snapshot: the ``table``,
    what it has ``added``, or ``nothing``. The snapshot is None before the first one of an empty table::

        {"snapshot": 4358109269873137077, "row": 120, "read": "added"}

    Args:
        source: The settings.
    """

    def __init__(self, source: IcebergReadSettings) -> None:
        super().__init__(source.is_bounded)
        self._source, self._location = source, source.location
        self._catalog = OpenedCatalog(source.location)
        self._table: Any = None
        self._following: dict[int | None, Any] = {}
        self._known: dict[tuple[int, str], list[PlannedFile]] = {}
        self._looked_at = float("-inf")

    def check(self) -> None:
        self.initial_offset()

    def initial_offset(self) -> dict[str, Any]:
        table = self._loaded()
        start = self._source.start
        if self._source.is_bounded:
            snapshot, what = start.snapshot_of(self._location, table), WHOLE
        else:
            snapshot, what = start.beginning(self._location, table)
        self._check_columns(_schema_of(table, snapshot if what == WHOLE else None))
        return _offset(None if snapshot is None else snapshot.snapshot_id, what)

    def files_of(self, offset: dict[str, Any], look: bool = False) -> list[PlannedFile]:
        number, what = offset["snapshot"], offset["read"]
        if number is None or what == NOTHING:
            return []
        if (number, what) not in self._known:
            self._known[number, what] = self._files(number, what)
        return self._known[number, what]

    def after(self, offset: dict[str, Any], look: bool = False) -> dict[str, Any] | None:
        number = offset["snapshot"]
        if number not in self._following:
            now = time.monotonic()
            if not look and self._looked_at + (self._source.interval_ms or 0) / 1000 > now:
                return None
            table = self._loaded()
            self._looked_at = now
            head = head_of(self._location, table)
            if number not in self._following:
                if (None if head is None else head.snapshot_id) == number and not look:
                    return None
                raise self._gone(number)
        return _offset(self._following[number].snapshot_id, ADDED)

    def same_version(self, one: dict[str, Any], other: dict[str, Any]) -> bool:
        return bool(one["snapshot"] == other["snapshot"] and one["read"] == other["read"])

    def may_hold(self, file: PlannedFile) -> bool:
        return file.may_pass(self._source.predicates)

    def commit(self, offset: dict[str, Any]) -> None:
        """Forget what was read."""
        for number, what in list(self._known):
            if number != offset["snapshot"]:
                del self._known[number, what]

    def close(self) -> None:
        self._catalog.close()

    def _loaded(self) -> Any:
        """The table as it is now; what follows each snapshot is known then."""
        self._table = self._catalog.there()
        chain = lineage(self._table, head_of(self._location, self._table))
        self._following = {snapshot.parent_snapshot_id: snapshot for snapshot in chain}
        first = self._following.get(None)
        if first is not None and (first.sequence_number or 1) > 1:
            # What was before it has expired.
            del self._following[None]
        return self._table

    def _files(self, number: int, what: str) -> list[PlannedFile]:
        table = self._table if self._table is not None else self._loaded()
        snapshot = table.snapshot_by_id(number)
        if snapshot is None:
            table = self._loaded()
            snapshot = table.snapshot_by_id(number)
        if snapshot is None:
            raise self._gone(number)
        if what == WHOLE:
            return files_of_snapshot(self._location, table, snapshot, self._source.predicates)
        if not self._adds(snapshot):
            return []
        self._check_columns(table.schema())
        return files_added_by(self._location, table, snapshot, self._source.predicates)

    def _adds(self, snapshot: Any) -> bool:
        """Whether the rows of a snapshot are new rows of the table."""
        operation = "append" if snapshot.summary is None else snapshot.summary.operation.value
        name = f"snapshot {snapshot.snapshot_id} of the table {self._location.name}"
        if operation == "overwrite" and not self._source.skip_overwrites:
            raise UnsupportedOperation(
                f"{name} rewrites rows (an UPDATE, MERGE, DELETE or an overwrite), which a stream of new rows cannot "
                "tell: set streaming-skip-overwrite-snapshots to pass it over, or start from a later snapshot"
            )
        if operation == "delete" and not self._source.skip_deletes:
            raise UnsupportedOperation(
                f"{name} deletes rows, which a stream of new rows cannot tell: set streaming-skip-delete-snapshots to "
                "pass it over, or start from a later snapshot"
            )
        return bool(operation == "append")

    def _gone(self, number: int | None) -> JobError:
        what = "the first snapshot" if number is None else f"snapshot {number}, or the one after it,"
        return JobError(
            f"{what} of the table {self._location.name} is no longer there, and was not read: it has expired, or the "
            "table was rolled back. Start from a later snapshot, with another --checkpoint-dir"
        )

    def _check_columns(self, schema: Any) -> None:
        from pyiceberg.io.pyarrow import schema_to_pyarrow

        there = schema_to_pyarrow(schema, include_field_ids=False)
        check_columns(self._source.row_type, there, self._location.name, fit_of)


def _schema_of(table: Any, snapshot: Any) -> Any:
    """The schema by which a snapshot is read; that of the table as it is now without one."""
    if snapshot is None or snapshot.schema_id is None:
        return table.schema()
    return table.schemas()[snapshot.schema_id]


def _offset(snapshot: int | None, read: str) -> dict[str, Any]:
    return {"snapshot": snapshot, "row": 0, "read": read}
