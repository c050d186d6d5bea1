"""INSERTs as plain data: the tables, and the rows that go into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from datastream.table.connectors.connector import TableInfo
from datastream.table.plan.relations import Relation


@dataclass(frozen=True)
class PlannedSink:
    """A table that is written.

    Attributes:
        path: Catalog, database, table.
        rows: What goes into it: physical columns, then metadata that is written.
        options: Of a hint, over the table's own.
        overwrite: What is in the table goes away.
        conflict: Of ON CONFLICT DO: ``deduplicate``, ``nothing``, ``error``; None: it is not said.
    """

    path: tuple[str, str, str]
    rows: Relation
    options: Mapping[str, str] = field(default_factory=dict)
    overwrite: bool = False
    conflict: str | None = None

    @property
    def name(self) -> str:
        """The table's, for people."""
        return self.path[-1] if self.path[-1].startswith("*anonymous") else ".".join(self.path)


@dataclass(frozen=True)
class InsertPlan:
    """What one job writes. Functions are named in it.

    Attributes:
        sinks: The tables that are written.
        tables: Those, and all that are read.
        settings: Over those of the session.
        uids: Of the operators, in the order in which they are made; None: they follow from the relations.
    """

    sinks: tuple[PlannedSink, ...]
    tables: tuple[TableInfo, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    uids: tuple[str, ...] | None = None

    def table(self, path: tuple[str, ...], options: Mapping[str, str], overwrite: bool = False) -> TableInfo:
        """A table as its connector sees it.

        Args:
            path: Catalog, database, table.
            options: Of a hint, over the table's own.
            overwrite: What is written takes the place of what is there.
        """
        found = next(each for each in self.tables if each.path == path)
        return replace(found, options={**found.options, **options}, overwrite=overwrite)
