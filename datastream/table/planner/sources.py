"""What FROM names: a relation, and the names of its columns."""

from __future__ import annotations

from datastream.table.plan.errors import wrong
from datastream.table.plan.relations import Relation, Values
from datastream.table.sql.syntax import QueryNode

from . import building
from .scope import Scope

#: What FROM names: a relation, and the names of its columns.
Source = tuple[Relation, Scope]


def one_row() -> Source:
    """One row without columns: what SELECT without FROM reads."""
    return Values(((),), columns=()), Scope((), ())


def rename_columns(relation: Relation, names: tuple[str, ...], node: QueryNode) -> Relation:
    """A relation with the names that its alias has for the columns; none: it keeps its own."""
    if names and len(names) != len(relation.columns):
        raise wrong(f"{len(names)} names for {len(relation.columns)} columns", node.position)
    return building.rename(relation, names) if names else relation
