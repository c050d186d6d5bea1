"""Relations as data: what a query means. Every node knows its columns; expressions in it are resolved.

A plan prints, compares and goes to JSON: functions and streams are named in it and held beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as Choice

from datastream.io import Predicate
from datastream.table.types.logical_types import DataType

from .expressions import Call, Expression, Order


@dataclass(frozen=True)
class Column:
    """A column of a relation.

    Attributes:
        name: Unique in the relation.
        type: Of its values.
        time: ``rowtime`` or ``proctime`` for a time attribute; None for any other.
    """

    name: str
    type: DataType
    time: Choice["rowtime", "proctime"] | None = None


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Base of all relations.

    Attributes:
        columns: From left to right.
    """

    columns: tuple[Column, ...]

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """What it reads, from left to right."""
        found = (getattr(self, name, None) for name in ("input", "left", "right"))
        return tuple(each for each in found if isinstance(each, Relation))

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns."""
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class Scan(Relation):
    """A table of a catalog.

    Attributes:
        path: Catalog, database, table.
        wanted: Which of the table's physical and metadata columns, by name; None: all. `columns` are those.
        options: Of a hint, over the table's own.
        versions: Rows that replace each other are given as they are read: each is a version of its key.
        predicates: Rows for which one of these is not true may be left out; a `Filter` above tests them. Their values
            are in the form that they have inside.
        limit: How many rows are wanted, any; None: all.
        fields: Of ROW columns that are not read as a whole, each part that is read: the column, and the names of fields
            that lead to it. Other fields are NULL.
    """

    path: tuple[str, str, str]
    wanted: tuple[str, ...] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    versions: bool = False
    predicates: tuple[Predicate, ...] = ()
    limit: int | None = None
    fields: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Values(Relation):
    """Rows of constants, in the form that values have inside."""

    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class StreamScan(Relation):
    """A stream of the DataStream API, held beside the plan by its name.

    Attributes:
        changelog: Its rows have kinds.
        upserts: Indexes of the columns by which its rows replace each other; empty: they do not.
        key: Of its primary key; empty: it has none.
        versions: As of `Scan`; rows that are replaced are left out.
    """

    stream: str
    changelog: bool = False
    upserts: tuple[int, ...] = ()
    key: tuple[int, ...] = ()
    versions: bool = False


@dataclass(frozen=True)
class Project(Relation):
    """One expression for each column.

    Attributes:
        input: The rows.
        expressions: By column.
        implied: It only gives columns, and Flink's plan has no projection here: aggregates below are not left out
            though they are not read above.
    """

    input: Relation
    expressions: tuple[Expression, ...]
    implied: bool = False


@dataclass(frozen=True)
class Filter(Relation):
    """Rows for which the condition is TRUE."""

    input: Relation
    condition: Expression


@dataclass(frozen=True)
class Watermark(Relation):
    """Event time by a column: the watermark's expression gives its value for a row."""

    input: Relation
    column: int
    expression: Expression


@dataclass(frozen=True)
class Aggregate(Relation):
    """GROUP BY: the keys' columns, then those of the calls.

    Attributes:
        keys: Indexes of the input's columns.
        calls: Aggregates over the input's columns.
        ttl_ms: After which time without a change a group is forgotten, 0: never; None: as is configured.
    """

    input: Relation
    keys: tuple[int, ...]
    calls: tuple[Call, ...]
    ttl_ms: int | None = None


@dataclass(frozen=True)
class Window:
    """A window of a table function or of a group window.

    Attributes:
        kind: ``tumble``, ``hop``, ``cumulate``, ``session``; ``rows``, whose lengths are numbers of rows.
        time: Index of the time column; of windows that the input's rows are of already, the column of their ends.
        size_us: Its length, in µs; for sessions the gap; for ``cumulate`` the longest.
        slide_us: Of ``hop``: from start to start; of ``cumulate``: the step; else 0.
        offset_us: Of the starts.
        start: Of windows that the input's rows are of already: index of the column of their starts; else None.
        zoned: Of those: they are of the session's clock.
    """

    kind: str
    time: int
    size_us: int
    slide_us: int = 0
    offset_us: int = 0
    start: int | None = None
    zoned: bool = False


@dataclass(frozen=True)
class WindowTable(Relation):
    """A window table function: the input's columns, then window_start, window_end, window_time.

    Attributes:
        partition: Of sessions: indexes of the columns.
    """

    input: Relation
    window: Window
    partition: tuple[int, ...] = ()


@dataclass(frozen=True)
class WindowAggregate(Relation):
    """Aggregates by window and keys: keys, calls, then the window's properties in `properties`.

    Attributes:
        properties: Of ``start``, ``end``, ``rowtime``, ``proctime``, one for each column after the calls.
    """

    input: Relation
    window: Window
    keys: tuple[int, ...]
    calls: tuple[Call, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """The rows around a row that an OVER window has.

    Attributes:
        rows: Its bounds count rows, else they are distances by the column of the order.
        start: How far before the row it begins; negative: after it; None: with the first row.
        end: How far behind the row it ends; negative: before it; None: with the last row.
    """

    rows: bool
    start: Any = None
    end: Any = 0


@dataclass(frozen=True)
class OverAggregate(Relation):
    """Each row with aggregates of the rows around it: the input's columns, then those of the calls.

    Attributes:
        partition: Indexes of the columns by which rows are apart.
        order: The order of the rows of a partition.
        frame: Which rows the aggregates are over.
        calls: Aggregates over the input's columns.
    """

    input: Relation
    partition: tuple[int, ...]
    order: tuple[Order, ...]
    frame: Frame
    calls: tuple[Call, ...]

    @property
    def numbers(self) -> bool:
        """Whether it gives rows their numbers, and nothing else."""
        return [call.function for call in self.calls] == ["ROW_NUMBER"]


@dataclass(frozen=True)
class PatternVariable:
    """A variable of a pattern.

    Attributes:
        name: Of the variable.
        least: How many rows it takes at least.
        most: How many at most; None: any number.
        greedy: It takes all rows that it can.
        condition: Which rows it takes, over the input's columns of what the match has so far; None: all.
    """

    name: str
    least: int = 1
    most: int | None = 1
    greedy: bool = False
    condition: Expression | None = None


@dataclass(frozen=True)
class Match(Relation):
    """MATCH_RECOGNIZE: the partition's columns, then the measures, of each match.

    Attributes:
        partition: Indexes of the columns by which rows are apart.
        order: The order of the rows of a partition.
        pattern: Its variables, from first to last.
        measures: Over the input's columns of the rows of a match.
        skip: Where the search goes on: ``past_last``, ``next``, ``first``, ``last``.
        target: Of ``first`` and ``last``: the index of the variable.
        within_us: How long a match lasts at most; None: there is no limit.
    """

    input: Relation
    partition: tuple[int, ...]
    order: tuple[Order, ...]
    pattern: tuple[PatternVariable, ...]
    measures: tuple[Expression, ...]
    skip: str = "next"
    target: int | None = None
    within_us: int | None = None


@dataclass(frozen=True)
class Rank(Relation):
    """The first rows of each partition in an order, by ROW_NUMBER: the input's columns, then the number if it is read.

    Attributes:
        partition: Indexes of the columns by which rows are apart.
        order: The order of the rows of a partition.
        first: The number of the first row that is given, from 1.
        last: The number of the last one.
        numbered: The number is a column.
    """

    input: Relation
    partition: tuple[int, ...]
    order: tuple[Order, ...]
    first: int
    last: int
    numbered: bool = True


@dataclass(frozen=True)
class Join(Relation):
    """A regular join. `kind`: ``inner``, ``left``, ``right``, ``full``, ``semi``, ``anti``.

    Attributes:
        ttls: Of each side: after which time in ms a row is forgotten; 0: never; None, or empty: as is configured.
    """

    left: Relation
    right: Relation
    kind: str
    condition: Expression | None
    ttls: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Correlate(Relation):
    """Each row with those that a table function makes of it.

    Attributes:
        input: The rows.
        call: The table function.
        kind: ``inner`` or ``left``.
        condition: Over all columns, of a ``left`` one: which of the rows that are made count. None: all.
    """

    input: Relation
    call: Call
    kind: str
    condition: Expression | None = None


@dataclass(frozen=True)
class SetOperation(Relation):
    """``union``, ``intersect``, ``minus``; columns by place."""

    left: Relation
    right: Relation
    kind: str
    all: bool


@dataclass(frozen=True)
class Sort(Relation):
    """ORDER BY, LIMIT, OFFSET. `limit` None: no limit."""

    input: Relation
    order: tuple[Order, ...]
    offset: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class RowFunction(Relation):
    """A row-based operation: ``map``, ``flat_map``, ``aggregate`` or ``flat_aggregate``; keys as in `Aggregate`."""

    input: Relation
    kind: str
    call: Call
    keys: tuple[int, ...] = ()


@dataclass(frozen=True)
class TableArgument:
    """A table that a process table function takes.

    Attributes:
        input: Its rows.
        partition: Indexes of the columns of PARTITION BY.
        time: The index of the column of ``on_time``; None: there is none.
    """

    input: Relation
    partition: tuple[int, ...] = ()
    time: int | None = None


@dataclass(frozen=True)
class ProcessTable(Relation):
    """What a process table function makes of tables: columns of theirs, those of its type, ``rowtime``.

    Attributes:
        call: The function, and its constants as literals of the declared types.
        tables: In the order of the function's arguments.
        uid: Of its operator; None: as follows from where it is in the plan.
    """

    call: Call
    tables: tuple[TableArgument, ...]
    uid: str | None = None

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return tuple(each.input for each in self.tables)


@dataclass(frozen=True)
class ToChangelog(Relation):
    """TO_CHANGELOG: each change as a new row, the code of its kind first.

    Attributes:
        codes: Of the kinds +I, -U, +U, -D; None: such changes are left out.
    """

    input: Relation
    codes: tuple[str | None, ...]


@dataclass(frozen=True)
class FromChangelog(Relation):
    """FROM_CHANGELOG: each row as a change, without the column of its kind.

    Attributes:
        op: Index of the column.
        kinds: Its values, and which of the kinds +I, -U, +U, -D, counted from 0, each is.
    """

    input: Relation
    op: int
    kinds: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Predict(Relation):
    """ML_PREDICT: the columns of a table, and after them those that a model makes of some of them.

    Attributes:
        model: The full name of the model.
        args: Indexes of the columns that it takes.
        config: The options of the call.
        runs_async: It is called asynchronously.
    """

    input: Relation
    model: tuple[str, ...]
    args: tuple[int, ...]
    config: tuple[tuple[str, str], ...] = ()
    runs_async: bool = False


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names of which no two are the same: a second ``a`` becomes ``a0``."""
    made: list[str] = []
    for name in names:
        number, taken = 0, name
        while taken in made:
            taken = f"{name}{number}"
            number += 1
        made.append(taken)
    return made
