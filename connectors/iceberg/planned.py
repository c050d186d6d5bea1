"""The files of a snapshot, and what its manifests say of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.io import Predicate

from .location import IcebergLocation


@dataclass(frozen=True)
class PlannedFile:
    """A data file of a snapshot.

    Attributes:
        path: Where it is.
        rows: How many rows it has, with those that are deleted.
        schema_id: The table's schema by which it is read.
        partition: By the numbers of their fields, values of columns that it may not have itself.
        deletes: Files with the positions of deleted rows: the path and the format of each.
        bounds: Of columns with a predicate: the lowest value, the highest one, and whether all are NULL, or some.
    """

    path: str
    rows: int
    schema_id: int
    partition: Mapping[int, Any] = field(default_factory=dict)
    deletes: tuple[tuple[str, str], ...] = ()
    bounds: Mapping[str, tuple[Any, Any, bool, bool]] = field(default_factory=dict)

    def may_pass(self, predicates: Sequence[Predicate]) -> bool:
        """Whether it may have rows for which all predicates are true."""
        return all(self._may_pass(each) for each in predicates if each.column in self.bounds)

    def _may_pass(self, predicate: Predicate) -> bool:
        low, high, all_null, some_null = self.bounds[predicate.column]
        if predicate.operator == "IS NULL":
            return some_null
        if all_null:
            return False
        if low is None or high is None:
            return True
        try:
            return predicate.may_pass(low, high)
        except TypeError:
            return True


def files_of_snapshot(
    location: IcebergLocation, table: Any, snapshot: Any, predicates: Sequence[Predicate]
) -> list[PlannedFile]:
    """All files that the table has at a snapshot, from the oldest to the newest.

    Raises:
        UnsupportedOperation: They cannot be read.
    """
    try:
        with location.reaching():
            tasks = list(table.scan(snapshot_id=snapshot.snapshot_id).plan_files())
    except ValueError as error:
        if "equality deletes" not in str(error):
            raise
        raise UnsupportedOperation(
            f"the table {location.name} has rows that are deleted by equality, which this source does not heed: "
            "rewrite its data files (rewrite_data_files of Spark or Flink)"
        ) from None
    schema_id = table.metadata.current_schema_id if snapshot.schema_id is None else snapshot.schema_id
    files = [_planned(location, table, task.file, schema_id, predicates, task.delete_files) for task in tasks]
    return files[::-1]


def files_added_by(
    location: IcebergLocation, table: Any, snapshot: Any, predicates: Sequence[Predicate]
) -> list[PlannedFile]:
    """The files that a snapshot has added.

    Raises:
        UnsupportedOperation: They cannot be read.
    """
    from pyiceberg.manifest import ManifestContent, ManifestEntryStatus

    number = snapshot.snapshot_id
    with location.reaching():
        entries = [
            entry
            for manifest in snapshot.manifests(table.io)
            if manifest.added_snapshot_id == number and manifest.content == ManifestContent.DATA
            for entry in manifest.fetch_manifest_entry(table.io)
            if entry.status == ManifestEntryStatus.ADDED and entry.snapshot_id == number
        ]
    schema_id = table.metadata.current_schema_id
    return [_planned(location, table, entry.data_file, schema_id, predicates, ()) for entry in entries]


def _planned(
    location: IcebergLocation,
    table: Any,
    file: Any,
    schema_id: int,
    predicates: Sequence[Predicate],
    deletes: Iterable[Any],
) -> PlannedFile:
    from pyiceberg.manifest import FileFormat

    if file.file_format != FileFormat.PARQUET:
        raise UnsupportedOperation(
            f"the file {file.file_path} of the table {location.name} is of the format {file.file_format.value}: this "
            "source reads Parquet"
        )
    spec = table.specs()[file.spec_id]
    partition = {
        each.source_id: value
        for each, value in zip(spec.fields, file.partition, strict=True)
        if str(each.transform) == "identity" and value is not None
    }
    gone = tuple(sorted((each.file_path, each.file_format.value) for each in deletes))
    schema = table.schemas()[schema_id]
    bounds = {name: _bounds(schema.find_field(name), file) for name in {each.column for each in predicates}}
    return PlannedFile(file.file_path, file.record_count, schema_id, partition, gone, bounds)


def _bounds(column: Any, file: Any) -> tuple[Any, Any, bool, bool]:
    number = column.field_id
    low, high = (_value(column.field_type, (of or {}).get(number)) for of in (file.lower_bounds, file.upper_bounds))
    nulls, values = ((of or {}).get(number) for of in (file.null_value_counts, file.value_counts))
    return low, high, nulls is not None and nulls == values, nulls != 0


def _value(kind: Any, data: bytes | None) -> Any:
    """A bound, as pyarrow returns values; None: it is not known, or has no exact value."""
    from pyiceberg.conversions import from_bytes
    from pyiceberg.types import DateType, IntegerType, LongType, StringType

    if data is None:
        return None
    if isinstance(kind, DateType):
        days: Any = from_bytes(kind, data)
        return dt.date(1970, 1, 1) + dt.timedelta(days=days)
    return from_bytes(kind, data) if isinstance(kind, (IntegerType, LongType, StringType)) else None
