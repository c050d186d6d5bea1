"""The settings of a `DeltaSink`, as its writers and its committer see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.types import RowTypeInfo

from .location import DeltaLocation
from .partitions import check_partition_type
from .schema import arrow_schema


@dataclass(frozen=True)
class WriteSettings:
    """What is written, and where.

    Attributes:
        location: The table.
        row_type: The rows.
        partition_by: The partition columns.
        merge_schema: Whether columns that the table does not have are added to it, and those that the rows do not
            have are NULL.
        key: The columns by which rows replace each other; empty: each row is one more.
        kinds: Whether the kind of each record (0 +I, 1 -U, 2 +U, 3 -D) stands in front of its values.
        overwrite: Whether the rows take the place of what is there, at the end of the job.
        required: The columns that are never None.
        to_row: Makes a row of a record; None: they are rows.
    """

    location: DeltaLocation
    row_type: RowTypeInfo
    partition_by: tuple[str, ...] = ()
    merge_schema: bool = False
    key: tuple[str, ...] = ()
    kinds: bool = False
    overwrite: bool = False
    required: tuple[str, ...] = ()
    to_row: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        names = self.row_type.get_field_names()
        for name in (*self.partition_by, *self.key, *self.required):
            if name not in names:
                raise ValidationError(f"DeltaSink: {cut(name)} is no column of the rows, which are {cut(names)}")
        if len(set(self.partition_by)) == len(names):
            raise ValidationError("DeltaSink: at least one column must be no partition column")
        if self.kinds and not self.key:
            raise UnsupportedOperation("DeltaSink: changes of rows need a key")
        schema = arrow_schema(self.row_type)
        for name in self.partition_by:
            check_partition_type(schema.field(name).type, name)

    @property
    def merges(self) -> bool:
        """Whether rows replace those of their key."""
        return bool(self.key) and not self.overwrite

    @property
    def key_indexes(self) -> tuple[int, ...]:
        """Where the key's columns are in a row."""
        names = self.row_type.get_field_names()
        return tuple(map(names.index, self.key))
