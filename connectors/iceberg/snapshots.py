"""The snapshots of a table's branch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.errors import ValidationError

from .location import IcebergLocation


def head_of(location: IcebergLocation, table: Any) -> Any:
    """The last snapshot of the branch; None: the table is empty.

    Raises:
        ValidationError: There is no such branch.
    """
    found = table.snapshot_by_name(location.branch)
    if found is None and location.branch != "main":
        raise ValidationError(f"the table {location.name} has no branch '{location.branch}'")
    return found


def lineage(table: Any, head: Any) -> Iterator[Any]:
    """A snapshot and its ancestors, as far as the table has them, from the newest."""
    known = {snapshot.snapshot_id: snapshot for snapshot in table.metadata.snapshots}
    while head is not None:
        yield head
        head = known.get(head.parent_snapshot_id)
