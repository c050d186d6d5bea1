"""The settings of a sink of rows into a table, as its writers and its committer see them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.io import WriterContext
from datastream.types import RowTypeInfo

from .partition_files import PartitionFiles


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
        kinds: Whether the kind of each record (0 +I, 1 -U, 2 +U, 3 -D) comes before its values.
        overwrite: Whether the rows take the place of what is there, at the end of the job.
        required: The columns that are never None.
        to_tuples: Makes tuples of the rows' values of a block of records; None: records are rows.
    """

    location: Any
    row_type: RowTypeInfo
    partition_by: tuple[str, ...] = ()
    merge_schema: bool = False
    key: tuple[str, ...] = ()
    kinds: bool = False
    overwrite: bool = False
    required: tuple[str, ...] = ()
    to_tuples: Callable[[list[Any]], list[Any]] | None = None

    def check_columns(self, of: str, columns: tuple[str, ...]) -> None:
        """See that columns which the settings name are there, and that changes have a key.

        Args:
            of: Names the sink in errors.
            columns: The columns.

        Raises:
            ValidationError: A column is not there.
            UnsupportedOperation: Changes have no key.
        """
        names = self.row_type.get_field_names()
        for name in columns:
            if name not in names:
                raise ValidationError(f"{of}: {cut(name)} is no column of the rows, which are {cut(names)}")
        if self.kinds and not self.key:
            raise UnsupportedOperation(f"{of}: changes of rows need a key")

    @property
    def merges(self) -> bool:
        """Whether rows replace those of their key."""
        return bool(self.key) and not self.overwrite

    @property
    def key_indexes(self) -> tuple[int, ...]:
        """Where the key's columns are in a row."""
        names = self.row_type.get_field_names()
        return tuple(map(names.index, self.key))

    @abstractmethod
    def stored_rows(self) -> tuple[Any, Callable[[list[Any]], Any]]:
        """The Arrow schema of rows in the table's files, and what makes batches of rows, or of tuples of them."""

    @abstractmethod
    def new_files(self, context: WriterContext, epoch: int) -> PartitionFiles[Any]:
        """New files of the table. Their names are never used again, so no attempt changes what is committed."""

    @abstractmethod
    def new_staged_files(self, context: WriterContext, epoch: int, schema: Any) -> PartitionFiles[Any]:
        """New files of changes of an Arrow schema, which wait beside the table to be merged."""
