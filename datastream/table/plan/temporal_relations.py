"""Relations of ``FOR SYSTEM_TIME AS OF``: each row of the left side with what the right table was, or is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .expressions import Expression
from .relations import Relation


@dataclass(frozen=True)
class SnapshotJoin(Relation):
    """A join as it is written; the rules make one of the other two of it.

    Attributes:
        left: Its rows have a time.
        right: The table.
        kind: ``inner`` or ``left``.
        condition: Over the columns of both; None: there is none.
        period: As of when the right table is read, over the columns of both.
        hints: Options of LOOKUP.
    """

    left: Relation
    right: Relation
    kind: str
    condition: Expression | None
    period: Expression
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TemporalJoin(Relation):
    """Each row with the version that the row of its key on the right side had at the row's time.

    Attributes:
        left: The rows.
        right: The versions.
        kind: ``inner`` or ``left``.
        condition: Over the columns of both; it holds the right side's key.
        time: Index of the left side's event time.
        versioned_at: Index of the right side's event time, from its first column.
    """

    left: Relation
    right: Relation
    kind: str
    condition: Expression
    time: int
    versioned_at: int


@dataclass(frozen=True)
class LookupKey:
    """What a column of a table that is looked up in is equal to.

    Attributes:
        column: The table's column.
        left: Index of the column of the left side; None: it is a constant.
        value: The constant, in the form that values have inside.
    """

    column: str
    left: int | None = None
    value: Any = None


@dataclass(frozen=True)
class LookupJoin(Relation):
    """Each row with the rows of a table that has its key now.

    Attributes:
        left: The rows.
        right: The table's scan, perhaps with projections and conditions above it.
        kind: ``inner`` or ``left``.
        keys: What is looked up.
        before: A condition over the left columns, without which nothing is looked up; None: there is none.
        condition: What else has to hold, over the columns of both; None: nothing.
        hints: Options of LOOKUP.
    """

    left: Relation
    right: Relation
    kind: str
    keys: tuple[LookupKey, ...]
    before: Expression | None = None
    condition: Expression | None = None
    hints: Mapping[str, str] = field(default_factory=dict)
