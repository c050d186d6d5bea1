"""A table's relation: its physical columns, those computed of them, and its watermark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from datastream.table.functions.casts import cast_text
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expression_trees import walk
from datastream.table.plan.expressions import Cast, Expression, Field
from datastream.table.plan.relations import Column, Relation, Scan, Watermark
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, TimestampType
from datastream.table.types.type_text import summary

from .projections import projection
from .resolver import Resolver, is_aggregate
from .scope import Scope


@dataclass(frozen=True)
class TableColumn:
    """A column as a table declares it.

    Attributes:
        name: Its name.
        type: Of a physical or metadata column; None: it is computed.
        computed: How.
        metadata: The connector's key of a metadata column.
        given: The type in which the connector gives a metadata column, where that is not `type`.
    """

    name: str
    type: DataType | None = None
    computed: Expression | None = None
    metadata: str | None = None
    given: DataType | None = None


@dataclass(frozen=True)
class TableShape:
    """What a table declares.

    Attributes:
        columns: From left to right.
        watermark: Its column, and the expression.
        options: Of a hint.
    """

    columns: Sequence[TableColumn]
    watermark: tuple[str, Expression] | None = None
    options: Mapping[str, str] = field(default_factory=dict)


def table_relation(path: tuple[str, str, str], shape: TableShape, functions: FunctionLookup) -> Relation:
    """The relation of a table.

    Raises:
        ValidationError: A computed column or the watermark is wrong.
    """
    given = [each for each in shape.columns if each.type is not None]
    columns = tuple(Column(each.name, each.given or each.type) for each in given if each.type is not None)
    relation: Relation = Scan(path, options=shape.options, columns=columns)
    if any(each.given is not None for each in given):
        cast = [_declared(i, each, columns[i]) for i, each in enumerate(given)]
        relation = projection(relation, cast, [each.name for each in given])
        columns = relation.columns
    if len(given) < len(shape.columns):
        resolver = Resolver(Scope.of(relation), functions)
        made: list[Expression] = []
        for each in shape.columns:
            if each.computed is not None:
                made.append(_computed(each.computed, resolver, functions))
            else:
                at = next(i for i, column in enumerate(columns) if column.name == each.name)
                made.append(Field(at, each.name, type=columns[at].type))
        relation = projection(relation, made, [each.name for each in shape.columns])
    if shape.watermark is None:
        return relation
    return with_watermark(relation, *shape.watermark, functions)


def _declared(place: int, declared: TableColumn, column: Column) -> Expression:
    """A column of a scan in the type that the table declares."""
    field = Field(place, column.name, type=column.type)
    if declared.given is None or declared.type is None:
        return field
    if cast_text(declared.given, declared.type) is None:
        raise wrong(
            f"Invalid data type for metadata column '{declared.name}'. The column cannot be declared as "
            f"'{summary(declared.type)}' because the type must be castable from metadata type "
            f"'{summary(declared.given)}'."
        )
    return Cast(field, declared.type, type=declared.type)


def _computed(expression: Expression, resolver: Resolver, functions: FunctionLookup) -> Expression:
    resolved = resolver.resolve(expression)
    for part in walk(resolved):
        if is_aggregate(part, functions):
            raise wrong(f"A computed column takes no aggregates, and {part} is one", part.position)
    return resolved


def with_watermark(relation: Relation, name: str, expression: Expression, functions: FunctionLookup) -> Relation:
    """A relation whose column becomes event time.

    Raises:
        ValidationError: There is no such column, or it or the expression is no time.
    """
    if name not in relation.names:
        raise unknown("column", name, relation.names, expression.position)
    index = relation.names.index(name)
    column = relation.columns[index]
    if not isinstance(column.type, TimestampType | LocalZonedTimestampType) or column.type.precision > 3:
        raise wrong(
            f"WATERMARK FOR {name}: the column is {summary(column.type)}, and event time is TIMESTAMP or "
            "TIMESTAMP_LTZ of precision 0 to 3",
            expression.position,
        )
    resolved = Resolver(Scope.of(relation), functions).resolve(expression)
    if not isinstance(type_of(resolved), TimestampType | LocalZonedTimestampType):
        raise wrong(f"WATERMARK FOR {name}: {resolved} is {type_of(resolved)}, not a timestamp", expression.position)
    columns = tuple(replace(c, time="rowtime") if i == index else c for i, c in enumerate(relation.columns))
    return Watermark(relation, index, resolved, columns=columns)
