"""What sources of the rows of a table's versions have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from datastream.errors import FormatError, ValidationError
from datastream.formats.columnar.row_types import picked_columns, readable_row_type
from datastream.io import EnumeratorContext, Produced, Source, SplitEnumerator
from datastream.types import RowTypeInfo

from .read_settings import ReadSettings
from .rows_of_files import VersionsEnumerator


@dataclass(frozen=True)
class VersionsSource(ReadSettings, Source):
    """Reads one version of a table, or what its versions add."""

    grows = False

    @property
    def bounded(self) -> bool:  # type: ignore[override]
        return self.is_bounded

    @property
    def produced(self) -> Produced:
        return Produced(self.row_type if self.to_records is None else self.record_type, exact=self.to_records is None)

    def validate(self) -> None:
        with closing(self.enumerator()) as enumerator:
            enumerator.check()

    @abstractmethod
    def enumerator(self) -> VersionsEnumerator:
        """What finds the files."""

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return self.enumerator()


class VersionsSourceBuilder:
    """Holds which rows are read, and where it begins."""

    #: The name of the source that is built, for errors.
    _built: ClassVar[str]

    def __init__(self) -> None:
        self._columns: tuple[str, ...] = ()
        self._row_type: Any = None
        self._start: dict[str, Any] = {}
        self._interval_ms: int | None = None

    def set_column_names(self, *columns: str) -> Self:
        """The columns that are read, in this order. Default: all."""
        self._columns = columns
        return self

    def set_row_type(self, row_type: Any) -> Self:
        """The rows, instead of the types of the table's columns: `Types.ROW_NAMED(...)`."""
        self._row_type = row_type
        return self

    def _read_rows(self, table: str, of_table: Callable[[], RowTypeInfo]) -> RowTypeInfo:
        row_type = readable_row_type(self._row_type or of_table(), self._built)
        return picked_columns(row_type, self._columns, f"the table {table}") if self._columns else row_type


def row_type_of(schema: Callable[[], Any], table: str) -> RowTypeInfo:
    """The type of all columns of a table.

    Args:
        schema: Makes the Arrow schema.
        table: The table's name.

    Raises:
        ValidationError: A column cannot be read.
    """
    from datastream.types.arrow import from_arrow

    try:
        found = from_arrow(schema())
    except FormatError as error:
        raise ValidationError(f"the table {table}: {error}") from None
    assert isinstance(found, RowTypeInfo)
    return found
