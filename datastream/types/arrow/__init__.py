"""Types and values as Arrow's: what columnar files and Arrow batches stand on.

`to_arrow` and `from_arrow` translate types. `to_arrow_array`, `to_arrow_batch` and their opposites translate
values, a column at a time; what Arrow has no exact form for is a `FormatError`, never another value.
This package imports pyarrow, so import it where it is used.
"""

from datastream.types.arrow.batches import (
    from_arrow_array,
    from_arrow_batch,
    row_reader,
    row_writer,
    to_arrow_array,
    to_arrow_batch,
)
from datastream.types.arrow.data_types import from_arrow, to_arrow, to_arrow_schema

__all__ = [
    "from_arrow",
    "from_arrow_array",
    "from_arrow_batch",
    "row_reader",
    "row_writer",
    "to_arrow",
    "to_arrow_array",
    "to_arrow_batch",
    "to_arrow_schema",
]
