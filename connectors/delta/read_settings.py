"""The settings of a `DeltaSource`, as its enumerator and its readers see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.io import Predicate
from datastream.types import RowTypeInfo, TypeInformation

from .location import DeltaLocation
from .start import DeltaStart


@dataclass(frozen=True)
class ReadSettings:
    """What is read.

    Attributes:
        location: The table.
        row_type: The rows; their fields are columns of the table.
        start: Which version, or where to begin.
        interval_ms: How often it is looked for new versions; None: bounded.
        ignore_deletes: Versions that only remove rows are passed over.
        ignore_changes: Versions that rewrite rows are read as if they added all rows of the new files.
        wanted: Whether values are wanted; if not, records are empty tuples.
        to_records: Makes records of a block of rows; None: they are rows.
        record_type: The type of these records.
        predicates: Rows for which one is not true may be left out; values as pyarrow returns them.
    """

    location: DeltaLocation
    row_type: RowTypeInfo
    start: DeltaStart = DeltaStart()
    interval_ms: int | None = None
    ignore_deletes: bool = False
    ignore_changes: bool = False
    wanted: bool = True
    to_records: Any = None
    record_type: TypeInformation | None = None
    predicates: tuple[Predicate, ...] = ()

    @property
    def is_bounded(self) -> bool:
        """Whether one version is read, and the source ends."""
        return self.interval_ms is None
