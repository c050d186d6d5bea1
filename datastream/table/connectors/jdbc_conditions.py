"""Predicates on columns as conditions of a database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from datastream.connectors.jdbc.dialects import Dialect
from datastream.io import Predicate
from datastream.table.functions.types import WHOLE
from datastream.table.plan.relations import Column
from datastream.table.types.logical_types import DataType, DateType, TimestampType, VarCharType

from .jdbc_values import writer_of

_NULL_TESTS = ("IS NULL", "IS NOT NULL")
_ORDERED = ("=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Where:
    """Conditions on columns, of which all must be true.

    Attributes:
        conditions: Each is a column, what follows its name, with ``?`` for a parameter, and the parameters.
        untyped: Columns of texts that may hold other values: these pass, as each is read as its text.
    """

    conditions: tuple[tuple[str, str, tuple[Any, ...]], ...] = ()
    untyped: frozenset[str] = frozenset()

    def and_(self, column: str, condition: str, *parameters: Any) -> Where:
        """The same and one more."""
        return replace(self, conditions=(*self.conditions, (column, condition, parameters)))

    def of_driver(self, sql: str, rest: str, dialect: Dialect) -> tuple[str, tuple[Any, ...]]:
        """A query with the conditions between its two parts, as the driver takes it, and the parameters."""
        mark = dialect.parameter

        def written(text: str) -> str:
            return text.replace("%", "%%") if mark == "%s" else text

        def test(column: str, condition: str, counts: bool) -> str:
            name = written(dialect.quoted(column))
            text = f"{name} {condition.replace('?', mark)}"
            loose = counts and column in self.untyped
            return f"({text} OR typeof({name}) NOT IN ('text', 'null'))" if loose else text

        tests = [test(column, condition, bool(values)) for column, condition, values in self.conditions]
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        parameters = tuple(value for _, _, values in self.conditions for value in values)
        return f"{written(sql)}{where}{written(rest)}", parameters

    def __str__(self) -> str:
        return " AND ".join(
            f"{column} {condition.replace('?', '{}').format(*map(repr, values))}"
            for column, condition, values in self.conditions
        )


def takes(kind: DataType, predicate: Predicate, dialect: Dialect) -> bool:
    """Whether a database finds, of a column, at least the rows for which a predicate is true.

    It compares texts by rules of its own, so their order is not asked for. A time may have more digits than the column
    of the table, which are cut off when it is read: see `where`. SQLite's columns hold values of any type, of which
    only texts equal a text there.
    """
    operator = predicate.operator
    if operator in _NULL_TESTS:
        return True
    if isinstance(kind, VarCharType):
        return operator in ("=", "IN")
    if not dialect.typed:
        return False
    if isinstance(kind, WHOLE):
        return True
    return isinstance(kind, DateType | TimestampType) and operator in _ORDERED


def where(predicates: Iterable[Predicate], columns: Iterable[Column], dialect: Dialect) -> Where:
    """The conditions for predicates that `takes` approves of."""
    kinds = {column.name: column.type for column in columns}
    texts = [] if dialect.typed else [name for name, kind in kinds.items() if isinstance(kind, VarCharType)]
    made = Where(untyped=frozenset(texts))
    for each in predicates:
        kind = kinds[each.column]
        made = _times(made, each, kind, dialect) if _step(kind) else _condition(made, each, kind, dialect)
    return made


def _condition(made: Where, predicate: Predicate, kind: DataType, dialect: Dialect) -> Where:
    column, operator = predicate.column, predicate.operator
    if operator in _NULL_TESTS:
        return made.and_(column, operator)
    write = writer_of(kind, "UTC", column)
    values = [dialect.value(write(value)) for value in predicate.values]
    if operator == "IN":
        return made.and_(column, f"IN ({', '.join('?' for _ in values)})", *values)
    return made.and_(column, f"{operator} ?", *values)


def _step(kind: DataType) -> int:
    """How far values that are read lie apart, inside; 0: nothing is cut off of values."""
    if isinstance(kind, DateType):
        return 1
    return int(10 ** max(6 - kind.precision, 0)) if isinstance(kind, TimestampType) else 0


def _times(made: Where, predicate: Predicate, kind: DataType, dialect: Dialect) -> Where:
    """A condition on times, of which the database may have more digits than are read: ``<= 12:00`` is ``< 12:01``."""
    step = _step(kind)
    if predicate.operator in _NULL_TESTS:
        return _condition(made, predicate, kind, dialect)
    (value,) = predicate.values
    floor = value // step * step
    above = Predicate(predicate.column, "<", (floor + step,))
    from_here = Predicate(predicate.column, ">=", (floor,))
    match predicate.operator:
        case "=":
            wanted = [from_here, above]
        case "<" if floor == value:
            wanted = [Predicate(predicate.column, "<", (value,))]
        case "<" | "<=":
            wanted = [above]
        case ">" | ">=" if floor != value or predicate.operator == ">":
            wanted = [Predicate(predicate.column, ">=", (floor + step,))]
        case _:
            wanted = [from_here]
    for each in wanted:
        made = _condition(made, each, kind, dialect)
    return made
