"""The settings of a source of a table's rows, as its enumerator and its readers see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.errors import FormatError, ValidationError, cut
from datastream.io import Predicate
from datastream.types import RowTypeInfo, TypeInformation


@dataclass(frozen=True)
class ReadSettings:
    """What is read.

    Attributes:
        location: The table.
        row_type: The rows; their fields are columns of the table.
        start: Which version, or where to begin.
        interval_ms: How often it is looked for new versions; None: bounded.
        wanted: Whether values are wanted; if not, records are empty tuples.
        to_records: Makes records of a block of tuples of the rows' values; None: records are rows.
        record_type: The type of these records.
        predicates: Rows for which one is not true may be left out; values as pyarrow returns them.
    """

    location: Any
    row_type: RowTypeInfo
    start: Any
    interval_ms: int | None = None
    wanted: bool = True
    to_records: Any = None
    record_type: TypeInformation | None = None
    predicates: tuple[Predicate, ...] = ()

    @property
    def is_bounded(self) -> bool:
        """Whether one version is read, and the source ends."""
        return self.interval_ms is None


def check_columns(row_type: RowTypeInfo, there: Any, table: str, fit: Callable[[Any, Any, str], object]) -> None:
    """See that a table has the columns that are read.

    Args:
        row_type: The rows.
        there: The Arrow schema of the table.
        table: Its name.
        fit: Raises a FormatError if an Arrow type cannot be read as another one; with the column's name.

    Raises:
        ValidationError: It has not.
    """
    from datastream.types.arrow import to_arrow_schema

    for field in to_arrow_schema(row_type):
        if field.name not in there.names:
            raise ValidationError(f"the table {table} has no column {cut(field.name)}; it has {cut(there.names)}")
        try:
            fit(there.field(field.name).type, field.type, field.name)
        except FormatError as error:
            raise ValidationError(f"the table {table}: {error}") from None
