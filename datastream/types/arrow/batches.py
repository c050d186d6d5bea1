"""Values and records to Arrow's arrays and batches and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from datastream.errors import FormatError
from datastream.types.arrow.data_types import record_type, to_arrow
from datastream.types.arrow.reading import reader
from datastream.types.arrow.writing import conversion_error, values_writer, writer
from datastream.types.row import row_factory
from datastream.types.row_type import RowTypeInfo
from datastream.types.type_information import TypeInformation


def to_arrow_array(values: Sequence[Any], kind: TypeInformation) -> pa.Array:
    """A column of values; None is null.

    Raises:
        FormatError: a value does not fit the type, or Arrow has no exact form for it; the message names the place.
    """
    return _array_writer(kind, nullable=True)(values)


def from_arrow_array(array: pa.Array | pa.ChunkedArray, kind: TypeInformation, unpickle: bool = False) -> list[Any]:
    """The values of a column; null is None.

    Args:
        array: Of the type that `to_arrow` returns, or one whose values it holds as well: fewer bits, other units of
            time, dictionaries, large strings. A timestamp with a zone is read as SQL_TIMESTAMP in UTC.
        kind: The type of the values.
        unpickle: Whether pickled values may be loaded. Loading foreign ones can run any code.

    Raises:
        FormatError: the column is of another type, or a value does not fit the type.
    """
    read = _array_reader(kind, unpickle, nullable=True)
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    return list(chain.from_iterable(map(read, chunks)))


def to_arrow_batch(rows: Sequence[Any], row_type: TypeInformation) -> pa.RecordBatch:
    """Records as a batch whose schema is `to_arrow_schema(row_type)`; to write many batches, see `row_writer`.

    Args:
        rows: Rows for a type of rows, by name when they have names; tuples for a type of tuples.
        row_type: Their type.

    Raises:
        FormatError: a record does not fit the type; the message names the field.
    """
    return row_writer(row_type)(rows)


def from_arrow_batch(batch: pa.RecordBatch | pa.Table, row_type: TypeInformation, unpickle: bool = False) -> list[Any]:
    """The records of a batch or table; to read many, see `row_reader`.

    Args:
        batch: Its columns may be more than the fields, in any order; an unnamed row or a tuple is read by
            position where the columns are not named f0, f1, ...
        row_type: The type of the records.
        unpickle: Whether pickled values may be loaded. Loading foreign ones can run any code.

    Raises:
        FormatError: a column is missing or of another type, or a value does not fit the type.
    """
    return row_reader(row_type, unpickle)(batch)


def row_writer(row_type: TypeInformation, tuples: bool = False) -> Callable[[Sequence[Any]], pa.RecordBatch]:
    """What makes batches of records; see `to_arrow_batch`.

    Args:
        row_type: Their type.
        tuples: Whether tuples of the values stand for rows, in the order of the fields.
    """
    kind = record_type(row_type)
    write = _array_writer(kind, nullable=False)
    if tuples and isinstance(kind, RowTypeInfo):
        write = _of_tuples(kind, write)
    return lambda rows: pa.RecordBatch.from_struct_array(write(rows))


def row_reader(
    row_type: TypeInformation, unpickle: bool = False, tuples: bool = False
) -> Callable[[pa.RecordBatch | pa.Table], list[Any]]:
    """What makes records of batches; see `from_arrow_batch`.

    Args:
        row_type: Their type.
        unpickle: Whether pickled values may be loaded.
        tuples: Whether tuples of the values stand for rows.
    """
    read = _array_reader(record_type(row_type), unpickle, nullable=False, tuples=tuples)

    def read_all(batch: pa.RecordBatch | pa.Table) -> list[Any]:
        batches = batch.to_batches() if isinstance(batch, pa.Table) else [batch]
        return list(chain.from_iterable(read(part.to_struct_array()) for part in batches))

    return read_all


def _array_writer(kind: TypeInformation, nullable: bool) -> Callable[[Sequence[Any]], pa.Array]:
    to_arrow(kind)  # says what has no Arrow type, or is nested too deeply
    write = writer(kind, nullable)

    def write_all(values: Sequence[Any]) -> pa.Array:
        found = list(values)
        try:
            return write(found)
        except MemoryError:
            raise
        except Exception as error:  # a Misfit, or what pickle, Python and pyarrow raise
            raise conversion_error(found, kind, nullable, error) from None

    return write_all


def _of_tuples(
    kind: RowTypeInfo, write_rows: Callable[[Sequence[Any]], pa.Array]
) -> Callable[[Sequence[Any]], pa.Array]:
    write, make = values_writer(kind), row_factory(kind.field_names)

    def write_all(values: Sequence[Any]) -> pa.Array:
        try:
            return write(values)
        except MemoryError:
            raise
        except Exception:  # the rows say which value does not fit
            return write_rows([make(list(each)) for each in values])

    return write_all


def _array_reader(
    kind: TypeInformation, unpickle: bool, nullable: bool, tuples: bool = False
) -> Callable[[pa.Array], list[Any]]:
    to_arrow(kind)
    read = reader(kind, nullable=nullable, unpickle=unpickle, tuples=tuples)

    def read_all(array: pa.Array) -> list[Any]:
        try:
            return read(array)
        except FormatError:
            raise
        except Exception as error:  # of pyarrow or NumPy, for arrays that are not what they say
            raise FormatError(f"the Arrow data cannot be read as {kind!r}: {error}") from error

    return read_all
