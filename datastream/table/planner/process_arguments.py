"""Arguments of calls of functions that take tables, as they are written."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.table.plan.expressions import Expression, Position
from datastream.table.plan.models import ModelShape
from datastream.table.plan.relations import Relation


@dataclass(frozen=True)
class GivenTable:
    """A table as an argument.

    Attributes:
        relation: The table.
        partition: The names of the columns of PARTITION BY.
        position: Where it is written.
    """

    relation: Relation
    partition: tuple[str, ...] = ()
    position: Position | None = None


@dataclass(frozen=True)
class GivenModel:
    """A model as an argument.

    Attributes:
        model: The model.
    """

    model: ModelShape


@dataclass(frozen=True)
class Given:
    """An argument of a call.

    Attributes:
        value: What it is; an expression as written.
        name: Of the parameter; None: it is given by its place.
        position: Where it is written.
    """

    value: GivenTable | GivenModel | Expression
    name: str | None = None
    position: Position | None = None
