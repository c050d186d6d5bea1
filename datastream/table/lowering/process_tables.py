"""Process table functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from datastream.graph.builder import Node
from datastream.graph.operators import FlatMap, Process, ProcessTable
from datastream.table.catalogs.errors import TableException
from datastream.table.codegen.inside_types import inside_row
from datastream.table.codegen.user_calls import ToPython
from datastream.table.functions.process_functions import ArgumentTrait
from datastream.table.functions.process_signature import Argument, ProcessFunction
from datastream.table.plan import relations as plan
from datastream.table.plan.errors import placed_message
from datastream.table.plan.expressions import Expression, Field, Literal
from datastream.table.plan.relations import Column, Project, Relation, Scan, SetOperation, TableArgument
from datastream.table.plan.typed import type_of
from datastream.table.planner.upsert_keys import upsert_keys
from datastream.table.types.data_types import DataTypes

from .context import Lowered
from .lowering import Lowering, in_place, lowers, partitioned, types, without_replaced
from .process_calls import ProcessCall, RowCalls, RowsOf, SetCalls


@lowers(plan.ProcessTable)
def lower_process_table(lowering: Lowering, relation: plan.ProcessTable, upserted: frozenset[int] | None) -> Lowered:
    """The rows that a function makes of tables."""
    function = lowering.context.functions.find(relation.call.function)
    assert isinstance(function, ProcessFunction)
    arguments = function.signature.tables
    pairs = list(zip(arguments, relation.tables, strict=True))
    inputs = [_lower_table(lowering, relation, place, *pair) for place, pair in enumerate(pairs)]
    several = len(inputs) > 1
    below = _united(lowering, relation.tables, inputs) if several else inputs[0]
    zone = lowering.options.zone
    call = ProcessCall(
        function,
        tuple(_rows_of(pairs, below.updates)),
        tuple(_constant(each, zone) for each in relation.call.args),
        int(below.updates) if several else None,
        below.updates,
        tuple(lowering.ttl_ms(each.ttl_ms) for each in function.signature.states),
        zone,
    )
    fields: dict[str, Any] = {"output_type": inside_row(types(relation.columns))}
    name = f"ProcessTableFunction({function.name})"
    if not function.signature.by_set:
        return Lowered(_by_row(below, call, name, fields), relation.columns, False)
    keys = range(1, 1 + len(relation.tables[0].partition)) if several else relation.tables[0].partition
    calls = SetCalls(call)
    if not keys:
        fields |= {"parallelism": 1, "non_parallel": True}
    uid = lowering.uids.here() if relation.uid is None else relation.uid
    node = partitioned(below, keys).then(
        ProcessTable, name, function=calls.process_element, instance=calls, fits=True, uid=uid, **fields
    )
    return Lowered(node, relation.columns, False)


def _by_row(below: Lowered, call: ProcessCall, name: str, fields: dict[str, Any]) -> Node:
    calls = RowCalls(call)
    if call.function.signature.context:
        return in_place(below.node, Process, name, function=calls.process_in_time, instance=calls, **fields)
    return in_place(below.node, FlatMap, name, function=calls.process, instance=calls, **fields)


def _lower_table(
    lowering: Lowering, relation: plan.ProcessTable, place: int, argument: Argument, table: TableArgument
) -> Lowered:
    """The rows of a table argument.

    Raises:
        TableException: It has updates, and the function takes none.
    """
    traits, partition = argument.traits, frozenset(table.partition)
    by_key = ArgumentTrait.SUPPORT_UPDATES in traits and ArgumentTrait.REQUIRE_UPDATE_BEFORE not in traits
    by_key = by_key and any(key <= partition for key in upsert_keys(table.input, _primary_key(lowering)))
    upserted = partition if by_key else None
    if place:
        below = lowering.lower_side(table.input, f"table{place}", upserted)
    else:
        below = lowering.lower(table.input, upserted)
    if below.updates and ArgumentTrait.SUPPORT_UPDATES not in traits:
        raise TableException(
            placed_message(
                f"{relation.call.function} doesn't support consuming update changes, and the rows of its table "
                f"argument '{argument.name}' are updated: declare ArgumentTrait.SUPPORT_UPDATES if it looks at "
                "the kind of rows",
                relation.call.position,
            )
        )
    return without_replaced(lowering, below) if by_key and below.updates else below


def _primary_key(lowering: Lowering) -> Any:
    def names(scan: Scan) -> Sequence[str]:
        return [column.name for column in lowering.context.upsert_key(scan)]

    return names


def _united(lowering: Lowering, tables: Sequence[TableArgument], inputs: Sequence[Lowered]) -> Lowered:
    """The rows of several tables: the number of the table, the columns of PARTITION BY, then the columns of all."""
    sides: list[Relation] = []
    for number, (table, below) in enumerate(zip(tables, inputs, strict=True)):
        own = [Field(i, column.name, type=column.type) for i, column in enumerate(below.columns)]
        made: list[Expression] = [Literal(number, type=DataTypes.INT(False)), *(own[i] for i in table.partition)]
        for other, each in enumerate(inputs):
            absent = (Literal(None, type=column.type.nullable()) for column in each.columns)
            made += own if other == number else absent
        names = (f"${i}" for i in range(len(made)))
        columns = tuple(Column(name, type_of(each).nullable()) for name, each in zip(names, made, strict=True))
        sides.append(Project(lowering.give(below), tuple(made), columns=columns))
    return lowering.lower(reduce(_union, sides))


def _union(left: Relation, right: Relation) -> Relation:
    return SetOperation(left, right, "union", True, columns=left.columns)


def _rows_of(pairs: Sequence[tuple[Argument, TableArgument]], updates: bool) -> list[RowsOf]:
    """Where the rows of each table are in a record."""
    made = []
    start = int(updates) + (1 + len(pairs[0][1].partition) if len(pairs) > 1 else 0)
    for argument, table in pairs:
        partition = tuple(start + place for place in table.partition)
        time = None if table.time is None else start + table.time
        passed = ArgumentTrait.PASS_COLUMNS_THROUGH in argument.traits
        made.append(RowsOf(argument.name, table.input.columns, start, partition, time, passed))
        start += len(table.input.columns)
    return made


def _constant(literal: Expression, zone: str) -> Any:
    """The value of a constant as Python's."""
    assert isinstance(literal, Literal)
    return None if literal.value is None else ToPython(type_of(literal), zone)(literal.value)
