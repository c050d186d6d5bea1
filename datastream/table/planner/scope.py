"""The columns that an expression may name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from datastream.errors import ValidationError
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Call, Expression, Field, Literal, Name, Outer, Position
from datastream.table.plan.relations import Column, Relation
from datastream.table.plan.typed import character
from datastream.table.types.logical_types import DataType, is_nullable
from datastream.table.types.row_type import RowType


@dataclass(frozen=True)
class Scope:
    """Columns, and the names of the tables that they are of.

    Attributes:
        columns: In the order of the relation's.
        tables: For each column the path of its table; empty: it has none.
        hidden: Indexes of columns that stand in no ``*`` and are named only with their table, as those of
            JOIN ... USING.
        doubled: Indexes of columns of one table and of one name, which not even ``*`` can name.
        outer: The columns of the query around this one, which are named where none of these is meant.
        aliases: What the expressions of the SELECT over them are named.
    """

    columns: tuple[Column, ...]
    tables: tuple[tuple[str, ...], ...]
    hidden: frozenset[int] = frozenset()
    doubled: frozenset[int] = frozenset()
    outer: Scope | None = None
    aliases: frozenset[str] = frozenset()

    @staticmethod
    def of(relation: Relation, table: tuple[str, ...] = ()) -> Scope:
        """All columns of a relation, under one name."""
        return Scope(relation.columns, (table,) * len(relation.columns))

    def beside(self, other: Scope) -> Scope:
        """These columns and those of another one, as after a join."""
        width = len(self.columns)
        hidden = self.hidden | {width + i for i in other.hidden}
        doubled = self.doubled | {width + i for i in other.doubled}
        return Scope(self.columns + other.columns, self.tables + other.tables, hidden, doubled, self.outer)

    def inside(self, outer: Scope | None) -> Scope:
        """The same within a query around it."""
        return replace(self, outer=outer)

    def hiding(self, hidden: frozenset[int]) -> Scope:
        """The same with more columns that are hidden."""
        return replace(self, hidden=self.hidden | hidden)

    @property
    def shown(self) -> list[int]:
        """Indexes of the columns that are not hidden."""
        return [i for i in range(len(self.columns)) if i not in self.hidden]

    def field(self, index: int, name: Name | None = None) -> Field:
        """A column as an expression."""
        column = self.columns[index]
        return Field(index, column.name, type=column.type, position=None if name is None else name.position)

    def resolve(self, name: Name) -> Expression:
        """What a name stands for: a column, or a field of a row in one.

        Raises:
            ValidationError: There is no such column, or more than one.
        """
        for length in range(min(len(name.parts), 4), 0, -1):
            table, column, rest = name.parts[: length - 1], name.parts[length - 1], name.parts[length:]
            found = [
                i
                for i, each in enumerate(self.columns)
                if each.name == column and (self.tables[i][-len(table) :] == table if table else i not in self.hidden)
            ]
            if len(found) > 1:
                raise self.ambiguous(str(name), found, name.position)
            if found:
                return self._inside(self.field(found[0], name), rest, name)
        inside = self._paths_to(name)
        if len(inside) > 1:
            raise wrong(f"Column '{name}' is ambiguous: {' and '.join(map('.'.join, inside))} have it", name.position)
        if inside:
            return self.resolve(replace(name, parts=inside[0]))
        if self.outer is not None:
            with suppress(ValidationError):
                return _outside(self.outer.resolve(name))
        if str(name) in self.aliases:
            raise wrong(
                f"No column '{name}': it names an expression of this SELECT, which only ORDER BY may use. Write the "
                "expression itself, or select from a query: SELECT ... FROM (SELECT ... AS " + str(name) + " FROM ...)",
                name.position,
            )
        raise unknown("column", str(name), self._names(len(name.parts) > 1), name.position)

    def ambiguous(self, name: str, found: list[int], position: Position | None) -> ValidationError:
        """The error for a name that several columns have."""
        if len({self.tables[i] for i in found}) == 1:
            of = ".".join(self.tables[found[0]][-1:]) or "the input"
            return wrong(f"Column '{name}' is ambiguous: {of} has {len(found)} of that name: rename one", position)
        return wrong(f"Column '{name}' is ambiguous: {self._places(found)} have it", position)

    def _paths_to(self, name: Name) -> list[tuple[str, ...]]:
        """Where rows in columns have a field of this name: Flink finds it without the names before it."""
        table, wanted = name.parts[:-1], name.parts[-1]
        return [
            (*self.tables[i], *path)
            for i in self.of_table(table)
            for path in _paths((self.columns[i].name,), self.columns[i].type)
            if path[-1] == wanted
        ]

    def of_table(self, table: tuple[str, ...], position: Name | None = None) -> list[int]:
        """Indexes of the columns of a table; of all tables where none is named."""
        return [i for i, each in enumerate(self.tables) if each[-len(table) :] == table] if table else self.shown

    def _inside(self, found: Expression, rest: tuple[str, ...], name: Name) -> Expression:
        for part in rest:
            kind = found.type
            if not isinstance(kind, RowType):
                raise wrong(f"Column '{name}': {found} is of type {kind}, and has no field '{part}'", name.position)
            fields = {field.name: field.data_type for field in kind.fields}
            if part not in fields:
                raise unknown(f"field of {found}", part, fields, name.position)
            inner = fields[part] if not is_nullable(kind) else fields[part].nullable()
            found = Call("get", (found, Literal(part, type=character(part))), type=inner, position=name.position)
        return found

    def _names(self, qualified: bool) -> list[str]:
        if not qualified:
            return [self.columns[i].name for i in self.shown]
        return [".".join((*self.tables[i][-1:], column.name)) for i, column in enumerate(self.columns)]

    def _places(self, found: list[int]) -> str:
        return " and ".join(".".join(self.tables[i][-1:]) or "the input" for i in found)


def _outside(found: Expression) -> Expression:
    """What stands in a query for an expression over the columns of the query around it."""
    match found:
        case Field(index=index, name=name):
            return Outer(index, name, type=found.type, position=found.position)
        case Outer(depth=depth):
            return replace(found, depth=depth + 1)
        case Call(args=args):
            return replace(found, args=tuple(map(_outside, args)))
    return found


def _paths(path: tuple[str, ...], data_type: DataType) -> Iterator[tuple[str, ...]]:
    """The paths to all fields inside of a column that is a row."""
    for field in data_type.fields if isinstance(data_type, RowType) else ():
        inner = (*path, field.name)
        yield inner
        yield from _paths(inner, field.data_type)
