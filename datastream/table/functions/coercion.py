"""Arguments of different types brought to one, in the text of functions."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions import types
from datastream.table.functions.casts import cast_text
from datastream.table.functions.signatures import type_of
from datastream.table.functions.types import common_type, with_nullability
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    MapType,
    MultisetType,
    NullType,
    is_nullable,
)


def converted(args: Sequence[Expression], place: int, target: DataType) -> str:
    """Text of an argument as a value of another type. It needs `CAST_NAMES`. NULL stays NULL."""
    source = type_of(args[place])
    if isinstance(source, types.STRING) and isinstance(target, types.STRING):
        return f"{{{place}}}"
    if isinstance(source, types.WHOLE) and isinstance(target, types.WHOLE):
        return f"{{{place}}}"
    return _cast(place, source, target)


def _cast(place: int, source: DataType, target: DataType) -> str:
    text, names = cast_text(source, target) or ("{0}", {})
    # The casts of nested types have names for each pair of types; their values have the same form in practice.
    if text == "{0}" or any(name.startswith("cast_") and name not in _SHARED for name in names):
        return f"{{{place}}}"
    text = text.replace("{0}", f"{{{place}}}")
    return f"(None if {{{place}}} is None else {text})" if is_nullable(source) else text


_SHARED = frozenset(("cast_list", "cast_map", "cast_row"))


def comparison_type(left: DataType, right: DataType) -> DataType | None:
    """The type in which two values are compared; None: they cannot be."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, NullType):
            return other
        if isinstance(one, types.STRING) and isinstance(other, (*types.TIME, *types.NUMBER, BooleanType)):
            return other
        if isinstance(one, DateType) and isinstance(other, types.TIMESTAMP):
            return other
    return common_type((left, right))


def compared(args: Sequence[Expression], place: int, other: int) -> str:
    """Text of an argument for a comparison with another one. It needs `CAST_NAMES`."""
    source, against = type_of(args[place]), type_of(args[other])
    # The type depends on the order of the arguments: both sides ask in the same one.
    target = comparison_type(*((source, against) if place < other else (against, source)))
    if target is None or isinstance(source, NullType) or isinstance(against, NullType):
        return f"{{{place}}}"
    if isinstance(source, types.NUMBER) and isinstance(target, types.NUMBER):
        decimal = isinstance(source, DecimalType) and isinstance(target, types.APPROXIMATE)
        return _cast(place, source, DoubleType()) if decimal else f"{{{place}}}"
    return converted(args, place, target)


def of_text_and_number(left: DataType, right: DataType) -> bool:
    """Whether one of them is a string and the other one a number."""
    return any(
        isinstance(one, types.STRING) and isinstance(other, types.NUMBER)
        for one, other in ((left, right), (right, left))
    )


def has_order(data_type: DataType) -> bool:
    """Whether values of the type can be compared with less than."""
    return isinstance(
        data_type, (*types.NUMBER, *types.STRING, *types.BYTES, *types.TIME, *types.INTERVAL, BooleanType, NullType)
    )


def has_equality(data_type: DataType) -> bool:
    """Whether values of the type can be looked up in a set."""
    return not isinstance(data_type, (MapType, MultisetType))


def same_type(left: DataType, right: DataType) -> bool:
    """Whether the types are the same but for NULL."""
    return with_nullability(left, True) == with_nullability(right, True)
