"""What a table function makes of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.table.functions.collections import NUMBERED, UNNEST
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.errors import unknown, wrong
from datastream.table.plan.expressions import Call
from datastream.table.plan.relations import Column
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import ArrayType, DataType, IntType, MapType, MultisetType
from datastream.table.types.row_type import RowType

from .resolver import Resolver, needs_tables


def made_columns(
    call: Call, resolver: Resolver, functions: FunctionLookup, names: Sequence[str]
) -> tuple[Call, list[Column]]:
    """The resolved call, and the columns that it makes.

    Args:
        call: As written; ``UNNEST`` takes an array, a multiset or a map.
        resolver: Of its arguments.
        functions: Finds functions.
        names: Of the columns; none: those of the function's type, or ``f0``, ``f1``.

    Raises:
        ValidationError: It is no table function, or has another number of columns.
    """
    if call.function in (UNNEST, NUMBERED):
        args = tuple(resolver.resolve(arg) for arg in call.args)
        if len(args) != 1:
            raise wrong(f"UNNEST takes 1 argument, got {len(args)}", call.position)
        types = _elements(type_of(args[0]))
        if types is None:
            raise wrong(
                f"UNNEST takes an array, a multiset or a map, but {args[0]} is {type_of(args[0])}", call.position
            )
        if call.function == NUMBERED:
            types = [*types, ("ORDINALITY", IntType(False))]
        resolved = replace(call, args=args, type=RowType())
    else:
        found = functions.find(call.function)
        if found is None:
            raise unknown("function", call.function, functions.names(), call.position)
        if not isinstance(found, Entry | AggregateEntry) and found.kind == "process":
            raise wrong(needs_tables(found.name), call.position)
        if isinstance(found, Entry | AggregateEntry) or found.kind != "table":
            raise wrong(f"{call.function} is no table function", call.position)
        one = resolver.resolve(call)
        assert isinstance(one, Call)
        resolved = one
        types = _fields(found.result_type)
    if names and len(names) != len(types):
        raise wrong(f"{call.function} makes {len(types)} columns, and {len(names)} names are given", call.position)
    taken = list(names) or [name for name, _ in types]
    return resolved, [Column(name, kind) for name, (_, kind) in zip(taken, types, strict=True)]


def _elements(kind: DataType) -> list[tuple[str, DataType]] | None:
    match kind:
        case ArrayType(element_type=element) | MultisetType(element_type=element):
            return _fields(element) if isinstance(element, RowType) else [("EXPR$0", element)]
        case MapType(key_type=key, value_type=value):
            return [("f0", key), ("f1", value)]
    return None


def _fields(kind: DataType) -> list[tuple[str, DataType]]:
    if isinstance(kind, RowType):
        return [(field.name, field.data_type) for field in kind.fields]
    return [("f0", kind)]
