"""Fields of ROW columns that are not used are not read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from datastream.table.plan.expression_trees import children
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.relations import Filter, Project, Relation, Scan, SetOperation, Watermark
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowType

from .rebuild import with_inputs
from .temporal_joins import Tables

#: What is read of a row: the index of a column, and the names of fields that lead to a part of it; none: all of it.
Part = tuple[int, tuple[str, ...]]


def with_row_fields(relation: Relation, tables: Tables) -> Relation:
    """The same; scans say which fields of ROW columns are read, where only some are.

    A ROW that lacks fields is in no state, where another query could look for them after a restart. So it passes
    through operators without state only, and what others read is whole.
    """
    return _read(relation, _all_of(relation), tables)


def _read(relation: Relation, parts: Collection[Part], tables: Tables) -> Relation:
    """A relation of which these parts are read."""
    match relation:
        case Scan():
            return _scan(relation, parts, tables)
        case Project():
            below = {each for i, made in enumerate(relation.expressions) for each in _below(made, i, parts)}
        case Filter():
            below = {*parts, *_parts_of(relation.condition)}
        case Watermark():
            below = {*parts, (relation.column, ()), *_parts_of(relation.expression)}
        case SetOperation(kind="union", all=True):
            return with_inputs(relation, lambda each: _read(each, parts, tables))
        case _:
            return with_inputs(relation, lambda each: _read(each, _all_of(each), tables))
    return replace(relation, input=_read(relation.input, below, tables))


def _all_of(relation: Relation) -> set[Part]:
    return {(i, ()) for i in range(len(relation.columns))}


def _scan(scan: Scan, parts: Collection[Part], tables: Tables) -> Scan:
    found: list[tuple[str, ...]] = []
    for i, column in enumerate(scan.columns):
        paths = {path for index, path in parts if index == i}
        read = _kept(column.type, paths, lambda kind: tables.skips(scan, kind)) if paths else [()]
        found += [(column.name, *path) for path in read if path]
    return replace(scan, fields=tuple(found)) if found else scan


def _kept(
    kind: DataType, paths: Collection[tuple[str, ...]], skips: Callable[[DataType], bool]
) -> list[tuple[str, ...]]:
    """The parts that are read of a value of which these are used; the empty one: all of it."""
    if () in paths or not isinstance(kind, RowType):
        return [()]
    found: list[tuple[str, ...]] = []
    for field in kind:
        inner = {path[1:] for path in paths if path[0] == field.name}
        if inner:
            found += [(field.name, *path) for path in _kept(field.data_type, inner, skips)]
        elif not skips(field.data_type):
            found.append((field.name,))
    return [()] if found == [(name,) for name in kind.names] else found


def _below(expression: Expression, place: int, parts: Collection[Part]) -> set[Part]:
    """What an expression reads if these parts of the columns it is one of are read."""
    part = _part(expression)
    if part is None:
        return _parts_of(expression)
    index, path = part
    return {(index, path + more) for at, more in parts if at == place}


def _parts_of(expression: Expression) -> set[Part]:
    """What an expression reads."""
    part = _part(expression)
    if part is not None:
        return {part}
    match expression:
        case Call(function="isNull" | "isNotNull", args=(row,)) if isinstance(row.type, RowType) and len(row.type):
            of_row = _part(row)
            if of_row is not None:  # any field will do
                return {(of_row[0], (*of_row[1], row.type.names[0]))}
    return {each for child in children(expression) for each in _parts_of(child)}


def _part(expression: Expression) -> Part | None:
    """The part of a column that an expression is; None: it is something else."""
    match expression:
        case Field(index=index):
            return index, ()
        case Call(function="get", args=(row, Literal(value=key))) if isinstance(row.type, RowType):
            of_row = _part(row)
            return (
                None
                if of_row is None
                else (of_row[0], (*of_row[1], key if isinstance(key, str) else row.type.names[key]))
            )
    return None
