"""What the formats of columnar files have in common."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from datastream.errors import ValidationError
from datastream.formats.columnar.options import Options, checked_options
from datastream.formats.columnar.row_types import readable_row_type
from datastream.io import Predicate
from datastream.types import TypeInformation

from .formats import BulkFormat
from .parts import FilePart
from .remote.location import is_remote


def open_columns(part: FilePart) -> Any:
    """A part's file, as pyarrow's readers take it.

    Raises:
        JobError: it is gone, or has not the size that it had when it was planned.
    """
    if not is_remote(part.path):
        from datastream.formats.columnar.reading import open_file

        return open_file(part.path, part.size)
    import pyarrow

    from .remote.open_file import open_remote

    return pyarrow.PythonFile(open_remote(part), mode="r")


class ColumnarRowFormat(BulkFormat):
    """Checks and keeps the options of a format that reads rows of columns."""

    splittable = True

    def __init__(
        self,
        row_type: Any,
        hadoop_config: Options = None,
        batch_size: int = 2048,
        is_utc_timestamp: bool = False,
        is_case_sensitive: bool = True,
    ) -> None:
        name = type(self).__name__
        self._row_type = readable_row_type(row_type, name)
        if batch_size <= 0:
            raise ValidationError(f"{name}: batch_size must be positive, got {batch_size}")
        checked_options(hadoop_config, f"{name}: hadoop_config")
        self._batch_size = batch_size
        self._utc = is_utc_timestamp
        self._any_case = not is_case_sensitive
        self.predicates: tuple[Predicate, ...] = ()
        self.tuples = False

    def with_predicates(self, predicates: Sequence[Predicate]) -> Self:
        """The same, which may leave out rows for which one of the predicates is not true.

        Args:
            predicates: On columns of the files; values as pyarrow returns them.
        """
        made = copy(self)
        made.predicates = tuple(predicates)
        return made

    def with_tuples(self) -> Self:
        """The same, whose records are tuples of the values instead of rows."""
        made = copy(self)
        made.tuples = True
        return made

    @property
    def produced_type(self) -> TypeInformation:
        return self._row_type
