"""Expressions as data, as they are written and as they are resolved.

What a person writes, in SQL or with `col("a") + 1`, becomes `Name`, `Literal`, `Call`, `Cast` ... without types.
Resolving them against the columns of a relation gives the same tree with `Field` instead of `Name`, and a type in each
node.
``str()`` has Flink's form: ``plus(a, 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import DataType
from datastream.table.types.type_text import summary
from datastream.types.java_text import double_text

if TYPE_CHECKING:
    from .relations import Relation


@dataclass(frozen=True)
class Position:
    """Where something stands in a text.

    Attributes:
        line: From 1.
        column: From 1.
    """

    line: int
    column: int


@dataclass(frozen=True, kw_only=True)
class Expression:
    """Base of all expressions.

    Attributes:
        position: Where it begins in the SQL; None: it was not written in SQL.
        type: Of its values; None: it is not resolved yet.
    """

    position: Position | None = field(default=None, compare=False, repr=False)
    type: DataType | None = None


@dataclass(frozen=True)
class Name(Expression):
    """A column, not resolved yet: ``a``, ``t.a``, or a field of a row, ``a.b``."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)


#: Functions whose first argument, NULL or ABSENT, is a part of the name in Flink's text.
_NULL_IN_NAME = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")
#: Functions that Flink's text of an expression calls by another name.
_FLINK_NAMES = {
    "CURRENT_DATABASE": "currentDatabase",
    "FIRST_VALUE": "first_value",
    "LAST_VALUE": "last_value",
    "$concat": "concat",
    "$ifThenElse": "ifThenElse",
    "$plus": "plus",
    "$row": "row",
    "LISTAGG": "listAgg",
    "LAG": "lag",
    "LEAD": "lead",
    "STR_TO_MAP": "strToMap",
    "TO_DATE": "toDate",
    "TO_TIMESTAMP": "toTimestamp",
    "TRANSLATE": "TRANSLATE3",
    "currentRange": "CURRENT_RANGE",
    "currentRow": "CURRENT_ROW",
    "ifNull": "IFNULL",
    "unboundedRange": "UNBOUNDED_RANGE",
    "unboundedRow": "UNBOUNDED_ROW",
    "windowEnd": "end",
    "windowStart": "start",
}


#: Words that stand alone: the bounds of windows.
_WORDS = ("CURRENT_RANGE", "CURRENT_ROW", "UNBOUNDED_RANGE", "UNBOUNDED_ROW")


@dataclass(frozen=True)
class Star(Expression):
    """All columns, or those of one table."""

    table: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join((*self.table, "*"))


@dataclass(frozen=True)
class Field(Expression):
    """A column of the input, resolved.

    Attributes:
        index: Which, from 0; over the columns of both inputs in a join's condition.
        name: For people.
    """

    index: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Literal(Expression):
    """A constant, always with its type; its value is in the form that values have inside (see `values`)."""

    value: Any

    def __str__(self) -> str:
        if self.value is None:
            return "null"
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        if isinstance(self.value, float):
            return double_text(self.value)
        if isinstance(self.type, DayTimeIntervalType):
            return str(self.value // 1000)
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


@dataclass(frozen=True)
class Descriptor(Expression):
    """``DESCRIPTOR(a, b)``: names of columns, as an argument of a function that takes tables."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"DESCRIPTOR({', '.join(self.names)})"


@dataclass(frozen=True)
class Argument(Expression):
    """An argument of a function that takes tables, by its parameter's name: ``threshold => 3``."""

    arg: Expression
    name: str

    def __str__(self) -> str:
        return f"{self.name} => {self.arg}"


@dataclass(frozen=True)
class Call(Expression):
    """A call of a function of the library or a user's; operators are functions too.

    Attributes:
        function: As written in SQL (``CHAR_LENGTH``, ``+``), or by its name in the library (``charLength``, ``plus``),
            which it always has once it is resolved.
        args: The arguments.
        distinct: ``COUNT(DISTINCT a)``.
        filter: ``SUM(a) FILTER (WHERE ...)``.
    """

    function: str
    args: tuple[Expression, ...] = ()
    distinct: bool = False
    filter: Expression | None = None

    def __str__(self) -> str:
        name, args = _FLINK_NAMES.get(self.function, self.function), self.args
        if name in _NULL_IN_NAME and str(args[0]) in ("NULL", "ABSENT"):  # a keyword, as the Table API gives it
            name, args = f"{name}_{args[0]}_ON_NULL", args[1:]
        text = name if name in _WORDS else f"{name}({', '.join(map(str, args))})"
        return f"distinct({text})" if self.distinct else text


@dataclass(frozen=True)
class Cast(Expression):
    """``CAST(a AS INT)``; `type` is None until it is resolved.

    Attributes:
        arg: What is cast.
        to: The type, which may be NULL where the argument may.
        safe: ``TRY_CAST``: NULL where it fails.
    """

    arg: Expression
    to: DataType
    safe: bool = False

    def __str__(self) -> str:
        return f"{'TRY_CAST' if self.safe else 'cast'}({self.arg}, {summary(self.to)})"


@dataclass(frozen=True)
class Alias(Expression):
    """``a AS b``. More names are those of a table function's columns."""

    arg: Expression
    name: str
    more: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"as({', '.join([str(self.arg), *map(repr, (self.name, *self.more))])})"


@dataclass(frozen=True)
class Order(Expression):
    """A part of ORDER BY. ``nulls_first`` None: NULL is less than all, as in Flink."""

    arg: Expression
    ascending: bool = True
    nulls_first: bool | None = None

    def __str__(self) -> str:
        return f"{'asc' if self.ascending else 'desc'}({self.arg})"


@dataclass(frozen=True)
class Over(Expression):
    """``call OVER (PARTITION BY ... ORDER BY ... frame)``.

    Attributes:
        call: An aggregate, or ROW_NUMBER and its kin.
        partition: By what.
        order: By what.
        frame: ``("ROWS" or "RANGE", start, end)``: None is UNBOUNDED, a Literal is PRECEDING (0: CURRENT ROW).
    """

    call: Call
    partition: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    frame: tuple[str, Expression | None, Expression | None] | None = None

    def __str__(self) -> str:
        return f"{self.call} OVER ({', '.join(map(str, self.partition))})"


@dataclass(frozen=True)
class Outer(Expression):
    """A column of a query around the one that names it.

    Attributes:
        index: The column's.
        name: The column's.
        depth: How many queries it is outside: 1 is the next one.
    """

    index: int
    name: str
    depth: int = 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class OfVariable(Expression):
    """What MATCH_RECOGNIZE reads of the rows of a pattern variable: a column of one row, or an aggregate of all.

    Attributes:
        arg: A column of the input, or a call of an aggregate over them.
        variable: The variable; None: all of the match so far.
        first: The row is counted from the first one, else from the last one.
        offset: How many rows further it is.
    """

    arg: Expression
    variable: str | None = None
    first: bool = False
    offset: int = 0

    def __str__(self) -> str:
        if isinstance(self.arg, Call):
            named = (
                replace(a, name=f"{self.variable or '*'}.{a}") if isinstance(a, Field) else a for a in self.arg.args
            )
            return str(replace(self.arg, args=tuple(named)))
        if self.variable is not None and not self.first and not self.offset:
            return f"{self.variable}.{self.arg}"
        return f"{'FIRST' if self.first else 'LAST'}({self.variable or '*'}.{self.arg}, {self.offset})"


@dataclass(frozen=True)
class MatchTime(Expression):
    """MATCH_ROWTIME(): the time of the last row of a match."""

    def __str__(self) -> str:
        return "MATCH_ROWTIME()"


@dataclass(frozen=True)
class Subquery(Expression):
    """A query inside an expression.

    Attributes:
        kind: ``scalar``, ``exists``, ``in``, ``some``.
        relation: The query.
        args: Of IN and SOME: what is looked for or compared.
        operator: Of SOME: such as ``<``.
        written: ``SOME``, ``ANY`` or ``ALL``, as it is written; empty: none of them.
    """

    kind: str
    relation: Relation
    args: tuple[Expression, ...] = ()
    operator: str = ""
    written: str = ""

    def __str__(self) -> str:
        return f"{self.kind}(subquery)"
