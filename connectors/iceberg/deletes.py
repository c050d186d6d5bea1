"""Rows of a file that are deleted by their positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation

from .planned import PlannedFile


@dataclass(frozen=True)
class DeletedRows:
    """Numbers of rows of a file that are deleted.

    Attributes:
        rows: They, in a numpy array; None: there are none.
    """

    rows: Any = None

    def kept(self, first: int, count: int) -> Any:
        """Which of some rows are there, numbered from 0.

        Args:
            first: The number of the first row in the file.
            count: How many rows.
        """
        import numpy as np

        if self.rows is None:
            return range(count)
        return np.flatnonzero(~np.isin(np.arange(first, first + count), self.rows))


def deleted_rows(io: Any, file: PlannedFile) -> DeletedRows:
    """The rows of a file that its deletes name.

    Raises:
        UnsupportedOperation: They are of a format that is not known.
    """
    import numpy as np

    if not file.deletes:
        return DeletedRows()
    return DeletedRows(
        np.unique(np.concatenate([_positions(io, path, kind, file.path) for path, kind in file.deletes]))
    )


def _positions(io: Any, path: str, kind: str, of: str) -> Any:
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import parquet
    from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
    from pyiceberg.table.puffin import PuffinFile

    with io.new_input(path).open() as stream:
        if kind == "PARQUET":
            found = parquet.read_table(stream, columns=["file_path", "pos"])
            return found.filter(pc.equal(found["file_path"], of))["pos"].to_numpy()
        if kind == "PUFFIN":
            vectors = deletion_vectors_from_puffin_file(PuffinFile(stream.read()))
            found_rows = [vector.to_vector().to_numpy() for vector in vectors if vector.referenced_data_file == of]
            return np.concatenate([np.empty(0, dtype=np.int64), *found_rows])
    raise UnsupportedOperation(f"the file {path} has deleted rows in the format {kind}, which this source cannot read")
