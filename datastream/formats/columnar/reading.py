"""From the columns of a file to rows of a declared type."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from datastream.errors import FormatError, JobError, cut
from datastream.formats.columnar.columns import Fit, Times, fitting, position_of
from datastream.types import RowTypeInfo
from datastream.types.arrow import row_reader, to_arrow_schema


class RowsOfColumns:
    """Makes rows of the batches of one file.

    A column that the file does not have is None in every row; one without any of the columns is refused.

    Args:
        found: The file's schema.
        row_type: The rows.
        times: By a column of the file, how its points in time become timestamps.
        any_case: Whether names fit in upper and lower case alike.
        tuples: Whether tuples of the values stand for rows.

    Attributes:
        names: The columns of the file that are needed.

    Raises:
        FormatError: a column is there twice, or does not become the declared type without loss.
    """

    def __init__(
        self, found: Any, row_type: RowTypeInfo, times: Callable[[str], Times], any_case: bool, tuples: bool = False
    ) -> None:
        self._to_rows = row_reader(row_type, tuples=tuples)
        self._wanted = to_arrow_schema(row_type)
        self._fits: list[tuple[str, Fit] | None] = []
        for field in self._wanted:
            position = position_of(found.names, field.name, any_case, field.name)
            if position is None:
                self._fits.append(None)
            else:
                column = found.field(position)
                fit = fitting(column.type, field.type, times(column.name), any_case, field.name)
                self._fits.append((column.name, fit))
        self.names = list(dict.fromkeys(column[0] for column in self._fits if column is not None))
        if not self.names:
            raise FormatError(
                f"none of the columns {cut(self._wanted.names)} is in the file: it has {cut(found.names)}"
            )

    def rows(self, batch: Any) -> list[Any]:
        """The rows of a batch that holds at least the columns of `names`."""
        names = batch.schema.names
        columns = [
            pa.nulls(batch.num_rows, field.type) if column is None else column[1](batch.column(names.index(column[0])))
            for column, field in zip(self._fits, self._wanted, strict=True)
        ]
        return self._to_rows(pa.RecordBatch.from_arrays(columns, schema=self._wanted))


def open_file(path: str, size: int) -> Any:
    """Open a file for reading, by plain reads: a map of a file that another process cuts would end this one.

    Raises:
        JobError: it is gone, or has not the size that it had when it was planned.
    """
    try:
        now = os.stat(path).st_size
        if now == size:
            return pa.OSFile(path)
    except FileNotFoundError as error:
        raise JobError(
            f"the file {path} was there when this epoch was planned and is gone now; "
            "files must stay in place until the job has read them"
        ) from error
    raise JobError(
        f"the file {path} had {size} bytes when this epoch was planned and has {now} now; "
        "files must not be written while a job reads them: write elsewhere and move them here"
    )


def naming(path: str, name: str, blocks: Iterator[list[Any]]) -> Iterator[list[Any]]:
    """The blocks of a file, with its path in every error.

    Raises:
        FormatError: whatever a library made of the bytes.
    """
    try:
        yield from blocks
    except FormatError as error:
        raise FormatError(f"the {name} file {path}: {error}") from error
    except (ConnectionError, JobError):  # of a remote file, which says what it is about
        raise
    except Exception as error:  # damaged bytes may raise anything in a library
        what = f"{type(error).__name__}: {error}".replace("\n", " ")[:400]
        raise FormatError(f"the file {path} is damaged, or no {name} file: {what}") from error
