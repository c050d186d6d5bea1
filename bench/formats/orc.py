"""Rows into ORC files and out of them, against pyarrow from and to lists of dicts."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from bench.formats.columnar import dicts, rate, read_rows, rows, schema, written


def write() -> dict[str, Any]:
    """Through the writer, a row at a time as a sink does."""
    from bench.formats.columnar import ROW
    from datastream.connectors.files.orc_format import OrcBulkWriters

    return rate(written, OrcBulkWriters.for_row_type(ROW), rows())


def write_bare() -> dict[str, Any]:
    """With pa.Table.from_pylist."""
    return rate(_bare_file, dicts(), schema())


def read() -> dict[str, Any]:
    """Through the format, as a source does."""
    from bench.formats.columnar import ROW
    from datastream.connectors.files.orc_format import OrcBulkWriters, OrcColumnarRowInputFormat

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        written(OrcBulkWriters.for_row_type(ROW), rows(), path)
        return rate(read_rows, OrcColumnarRowInputFormat(ROW), path)


def read_bare() -> dict[str, Any]:
    """With to_pylist, a stripe at a time."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f")
        _bare_file(dicts(), schema(), path)
        return rate(_bare_rows, path)


def _bare_file(records: list[dict[str, Any]], columns: Any, path: str = os.devnull) -> int:
    import pyarrow as pa
    from pyarrow import orc

    with orc.ORCWriter(path, compression="zlib", dictionary_key_size_threshold=0.8) as writer:
        for low in range(0, len(records), 8192):
            writer.write(pa.Table.from_pylist(records[low : low + 8192], schema=columns))
    return len(records)


def _bare_rows(path: str) -> int:
    from pyarrow import orc

    file = orc.ORCFile(path)
    return sum(len(file.read_stripe(i).to_pylist()) for i in range(file.nstripes))
