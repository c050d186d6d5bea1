"""What an INSERT writes, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from datastream.table.catalogs.base_table import CatalogBaseTable
from datastream.table.catalogs.names import ObjectIdentifier
from datastream.table.plan.expressions import Position
from datastream.table.plan.relations import Relation


@dataclass(frozen=True)
class Target:
    """A table that is written, and what goes into it.

    Attributes:
        name: The table.
        table: What the catalog keeps of it.
        relation: The rows.
        columns: Names of the table's columns that the rows have, in their order; None: all.
        partition: Column -> the value that all rows have, or None where the rows have it.
        options: Of a hint, over the table's own.
        overwrite: What is in the table goes away.
        conflict: As in `PlannedSink`.
        positions: Where the columns are in the SQL; without columns, where the query begins; empty: it is not known.
    """

    name: ObjectIdentifier
    table: CatalogBaseTable
    relation: Relation
    columns: Sequence[str] | None = None
    partition: Mapping[str, str | None] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    conflict: str | None = None
    positions: tuple[Position, ...] = ()

    def position(self, place: int = 0) -> Position | None:
        """Where a column is in the SQL."""
        return self.positions[place] if place < len(self.positions) else None
