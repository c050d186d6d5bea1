"""The settings of an `IcebergSource`, as its enumerator and its readers see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.io import Predicate
from datastream.types import RowTypeInfo, TypeInformation

from .location import IcebergLocation
from .start import IcebergStart


@dataclass(frozen=True)
class ReadSettings:
    """What is read.

    Attributes:
        location: The table.
        row_type: The rows; their fields are columns of the table.
        start: Which snapshot, or where to begin.
        interval_ms: How often it is looked for new snapshots; None: bounded.
        skip_deletes: Snapshots that only delete rows are passed over.
        skip_overwrites: Snapshots that rewrite rows are passed over, with the rows that they add.
        wanted: Whether values are wanted; if not, records are empty tuples.
        to_records: Makes records of a block of rows; None: they are rows.
        record_type: The type of these records.
        predicates: Rows for which one is not true may be left out; values as pyarrow returns them.
    """

    location: IcebergLocation
    row_type: RowTypeInfo
    start: IcebergStart = IcebergStart()
    interval_ms: int | None = None
    skip_deletes: bool = False
    skip_overwrites: bool = False
    wanted: bool = True
    to_records: Any = None
    record_type: TypeInformation | None = None
    predicates: tuple[Predicate, ...] = ()

    @property
    def is_bounded(self) -> bool:
        """Whether one snapshot is read, and the source ends."""
        return self.interval_ms is None
