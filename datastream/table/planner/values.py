"""VALUES: rows of expressions."""

from __future__ import annotations

from functools import reduce
from typing import Any

from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.types import common_type
from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Cast, Expression
from datastream.table.plan.relations import (
    Column,
    Relation,
    Values,
)
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType

from . import building
from .bare_null import check_values
from .constants import NotConstant, constant
from .projections import projection, sql_names
from .resolver import Resolver
from .scope import Scope
from .set_types import cast_to
from .sources import one_row


def plan_values(rows: tuple[tuple[Expression, ...], ...], functions: FunctionLookup) -> Relation:
    """The table of rows of expressions, which read no columns.

    Raises:
        ValidationError: A row has more values than another, or the values of a column have no type in common.
    """
    resolver = Resolver(Scope((), ()), functions)
    check_values(each for row in rows for each in row)
    resolved = [[resolver.resolve(each) for each in row] for row in rows]
    count = len(resolved[0])
    for row, written in zip(resolved, rows, strict=True):
        if len(row) != count:
            raise wrong(f"VALUES: a row has {len(row)} values, the first {count}", written[0].position)
    types = [_common([row[i] for row in resolved]) for i in range(count)]
    columns = tuple(Column(sql_names(i), kind) for i, kind in enumerate(types))
    try:
        made = tuple(
            tuple(_constant(each, kind, functions) for each, kind in zip(row, types, strict=True)) for row in resolved
        )
        return Values(made, columns=columns)
    except NotConstant:  # such as CURRENT_TIMESTAMP: as many projections as rows
        one, _ = one_row()
        each_row = [projection(one, row, [column.name for column in columns]) for row in resolved]
        return reduce(lambda a, b: building.set_operation(a, b, "union", True), [cast_to(r, types) for r in each_row])


def _common(values: list[Expression]) -> DataType:
    found = common_type([type_of(value) for value in values])
    if found is None:
        texts = ", ".join(str(type_of(value)) for value in values[:5])
        raise wrong(f"VALUES: the values of a column have no type in common: {texts}", values[0].position)
    return found


def _constant(expression: Expression, wanted: DataType, functions: FunctionLookup) -> Any:
    if type_of(expression).nullable() == wanted.nullable():
        return constant(expression, functions)
    return constant(Cast(expression, wanted, type=wanted), functions)
