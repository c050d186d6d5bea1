"""Rows that take the place of those of their key: files with such rows are written again without them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from datastream.connectors.lakehouse.partition_files import PartitionFiles
from datastream.errors import UnsupportedOperation

from .data_files import TableLayout, WrittenFile, in_table_columns
from .location import IcebergLocation
from .snapshots import head_of


@dataclass
class Merged:
    """What a merge changes.

    Attributes:
        removed: Files that the table has, and no longer has after it.
        added: New files.
    """

    removed: list[Any] = field(default_factory=list)
    added: list[WrittenFile] = field(default_factory=list)


def merged(location: IcebergLocation, table: Any, keys: Any, new: Any, name: str) -> Merged:
    """Write the new rows, and the files again that have rows of the keys, without these.

    Args:
        location: The table.
        table: The same, as it is now.
        keys: An Arrow table of the keys of all changes, each once.
        new: An Arrow table of the rows that are there afterwards.
        name: What the names of new files begin with.

    Raises:
        UnsupportedOperation: The table has rows that are deleted by equality.
    """
    import pyarrow as pa
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.io.pyarrow import ArrowScan, schema_to_pyarrow

    found, schema = Merged(), table.schema()
    arrow = schema_to_pyarrow(schema, include_field_ids=False)
    nullable = pa.schema([each.with_nullable(True) for each in arrow])
    files = PartitionFiles(TableLayout(location, table, arrow, name))

    def rows(task: Any, columns: Any) -> Any:
        return ArrowScan(table.metadata, table.io, columns, AlwaysTrue()).to_table([task])

    for task in files_with(location, table, _between(keys)):
        matched = _matched(rows(task, schema.select(*keys.column_names)), keys)
        if not matched.any():
            continue
        found.removed.append(task.file)
        for batch in rows(task, schema).filter(pa.array(~matched)).cast(nullable).to_batches():
            files.add(batch)
    for batch in in_table_columns(new, schema).to_batches():
        files.add(batch)
    found.added = files.finish()
    return found


def files_with(location: IcebergLocation, table: Any, condition: Any) -> list[Any]:
    """The files that may have rows of which a condition of pyiceberg is true, as tasks of a scan.

    Raises:
        UnsupportedOperation: The table has rows that are deleted by equality.
    """
    head = head_of(location, table)
    if head is None:
        return []
    try:
        return list(table.scan(condition, snapshot_id=head.snapshot_id).plan_files())
    except ValueError as error:
        if "equality deletes" not in str(error):
            raise
        raise UnsupportedOperation(
            f"the table {location.name} has rows that are deleted by equality, which cannot be changed: rewrite its "
            "data files (rewrite_data_files of Spark or Flink)"
        ) from None


def _between(keys: Any) -> Any:
    """What the keys have in common: each column is between two values."""
    import pyarrow.compute as pc
    from pyiceberg import expressions

    of: Any = expressions
    found = of.AlwaysTrue()
    for name in keys.column_names:
        bounds = pc.min_max(keys[name]).as_py() if _has_order(keys[name].type) else {}
        low, high = bounds.get("min"), bounds.get("max")
        if isinstance(low, (int, str, dt.date)) and not isinstance(low, (bool, dt.datetime)):
            found = of.And(found, of.GreaterThanOrEqual(name, low), of.LessThanOrEqual(name, high))
    return found


def _has_order(kind: Any) -> bool:
    import pyarrow.types as is_

    return bool(is_.is_integer(kind) or is_.is_string(kind) or is_.is_large_string(kind) or is_.is_date(kind))


def _matched(found: Any, keys: Any) -> Any:
    """For each row whether it has one of the keys."""
    import numpy as np
    import pyarrow as pa

    names = keys.column_names
    wanted = pa.table([keys[name].cast(found.schema.field(name).type) for name in names], names=names)
    numbered = found.select(names).append_column("", pa.array(range(found.num_rows), pa.int64()))
    rows = numbered.join(wanted, names, join_type="left semi", use_threads=False)[""].to_numpy()
    mask = np.zeros(found.num_rows, dtype=bool)
    mask[rows] = True
    return mask
