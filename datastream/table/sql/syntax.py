"""Queries as they are written: what the parser makes of a SELECT, before names and types are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from datastream.table.plan.expressions import Alias, Expression, Name, Order, Position


@dataclass(frozen=True, kw_only=True)
class QueryNode:
    """Base of queries and of What FROM names.

    Attributes:
        position: Where it begins.
    """

    position: Position | None = None


@dataclass(frozen=True)
class TableRef(QueryNode):
    """A table or view by name.

    Attributes:
        path: As written.
        alias: Its other name here.
        names: Other names of its columns.
        options: Of the hint OPTIONS.
        as_of: FOR SYSTEM_TIME AS OF.
    """

    path: tuple[str, ...]
    alias: str | None = None
    names: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    as_of: Expression | None = None


@dataclass(frozen=True)
class SubqueryRef(QueryNode):
    """A query after FROM; VALUES too. `lateral`: it names columns of the tables before it."""

    query: QueryNode
    alias: str | None = None
    names: tuple[str, ...] = ()
    lateral: bool = False


@dataclass(frozen=True)
class WindowRef(QueryNode):
    """``TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL ...))``.

    Attributes:
        kind: ``tumble``, ``hop``, ``cumulate``, ``session``.
        table: What is in it.
        time: The descriptor.
        intervals: Literals of intervals as written, in Flink's order: tumble size; hop slide, size; cumulate step,
            size; session gap; then the offset, if there is one.
        partition: Of sessions: PARTITION BY.
        alias: Its name.
    """

    kind: str
    table: QueryNode
    time: str
    intervals: tuple[Expression, ...]
    partition: tuple[str, ...] = ()
    alias: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class JoinRef(QueryNode):
    """`kind`: ``inner``, ``left``, ``right``, ``full``, ``cross``; `using` instead of a condition, where given.

    Attributes:
        natural: NATURAL JOIN: `using` are all names that both sides have.
    """

    left: QueryNode
    right: QueryNode
    kind: str
    condition: Expression | None = None
    using: tuple[str, ...] = ()
    natural: bool = False


@dataclass(frozen=True)
class LateralRef(QueryNode):
    """``LATERAL TABLE(f(a)) AS t(x, y)``, or UNNEST(array), in which case `call.function` is ``UNNEST``."""

    call: Expression
    alias: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableNode:
    """``TABLE t PARTITION BY (a, b)`` as an argument.

    Attributes:
        table: What is in it.
        partition: PARTITION BY.
        position: Where it begins.
    """

    table: QueryNode
    partition: tuple[str, ...] = ()
    position: Position | None = None


@dataclass(frozen=True)
class ModelNode:
    """``MODEL m`` as an argument.

    Attributes:
        path: Its name.
        position: Where it stands.
    """

    path: tuple[str, ...]
    position: Position | None = None


@dataclass(frozen=True)
class ArgumentNode:
    """An argument of a process table function.

    Attributes:
        value: What it is.
        name: Before ``=>``; None: it is given by its place.
        position: Where it begins.
    """

    value: TableNode | ModelNode | Expression
    name: str | None = None
    position: Position | None = None


@dataclass(frozen=True)
class ProcessRef(QueryNode):
    """``f(input => TABLE t PARTITION BY k, threshold => 3)``.

    Attributes:
        function: Its name.
        args: As written.
        alias: Its name in the query.
        names: Other names of its columns.
    """

    function: str
    args: tuple[ArgumentNode, ...]
    alias: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class VariableNode:
    """A variable of a pattern and its quantifier.

    Attributes:
        name: The variable.
        least: How many rows at least.
        most: How many rows at most; None: any number.
        reluctant: It takes as few as it can.
        position: Where it stands.
    """

    name: str
    least: int = 1
    most: int | None = 1
    reluctant: bool = False
    position: Position | None = None


@dataclass(frozen=True)
class MatchRef(QueryNode):
    """``t MATCH_RECOGNIZE (...)``.

    Attributes:
        table: What is before it.
        partition: PARTITION BY.
        order: ORDER BY.
        measures: Each with its name.
        pattern: From first to last.
        define: Conditions by variable.
        skip: AFTER MATCH SKIP: ``past_last``, ``next``, ``first``, ``last``.
        target: The variable that ``first`` and ``last`` are of.
        within: WITHIN.
        alias: Its name.
        names: Other names of its columns.
    """

    table: QueryNode
    partition: tuple[Expression, ...]
    order: tuple[Order, ...]
    measures: tuple[Alias, ...]
    pattern: tuple[VariableNode, ...]
    define: Mapping[str, Expression]
    skip: str = "next"
    target: Name | None = None
    within: Expression | None = None
    alias: str | None = None
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """A hint after SELECT: ``BROADCAST(t)``, ``LOOKUP('table' = 't', 'async' = 'true')``, ``STATE_TTL('t' = '1d')``.

    Attributes:
        name: In upper case.
        args: Names and texts in it.
        options: Keys and values in it.
    """

    name: str
    args: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupBy:
    """GROUP BY; `sets` for GROUPING SETS, CUBE and ROLLUP written out: indexes into `keys`; None: one of all."""

    keys: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True)
class Select(QueryNode):
    """SELECT. `source` None: SELECT without FROM, which emits one row. `hints`: after SELECT."""

    expressions: tuple[Expression, ...]
    source: QueryNode | None = None
    where: Expression | None = None
    group: GroupBy | None = None
    having: Expression | None = None
    distinct: bool = False
    order: tuple[Order, ...] = ()
    offset: int = 0
    limit: int | None = None
    qualify: Expression | None = None
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True)
class ValuesQuery(QueryNode):
    """VALUES (1, 'a'), (2, 'b')."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class SetQuery(QueryNode):
    """`kind`: ``union``, ``intersect``, ``minus``."""

    left: QueryNode
    right: QueryNode
    kind: str
    all: bool = False
    order: tuple[Order, ...] = ()
    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class With(QueryNode):
    """WITH name AS (query), ... query."""

    tables: tuple[tuple[str, tuple[str, ...], QueryNode], ...]
    query: QueryNode
