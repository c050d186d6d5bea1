"""Rules of result types: which arguments a function takes, and the type of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from datastream.errors import ValidationError
from datastream.table.functions import types
from datastream.table.functions.entry import Rule
from datastream.table.functions.types import (
    common_type,
    with_nullability,
)
from datastream.table.plan.expressions import Expression, Literal
from datastream.table.types.intervals import DayTimeIntervalType
from datastream.table.types.logical_types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    MapType,
    MultisetType,
    NullType,
    TimestampType,
    TimeType,
    is_nullable,
)
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary

#: What a parameter may be: its name in a signature -> the types.
FAMILIES: dict[str, tuple[type[DataType], ...]] = {
    "any": (DataType,),
    "string": types.STRING,
    "binary": types.BYTES,
    "text": (*types.STRING, *types.BYTES),
    "number": types.NUMBER,
    "whole": types.WHOLE,
    "exact": (*types.WHOLE, DecimalType),
    "whole or string": (*types.WHOLE, *types.STRING),
    "number or string": (*types.NUMBER, *types.STRING),
    "boolean": (BooleanType,),
    "date": (DateType, *types.TIMESTAMP),
    "time": (TimeType, *types.TIMESTAMP),
    "temporal": types.TIME,
    "timestamp": types.TIMESTAMP,
    "plain timestamp": (TimestampType,),
    "interval": types.INTERVAL,
    "moment": (*types.TIME, *types.STRING),
    "timestamp or string": (*types.TIMESTAMP, *types.STRING),
    "duration": (DayTimeIntervalType,),
    "array": (ArrayType,),
    "map": (MapType,),
    "collection": (ArrayType, MapType, MultisetType),
    "row": (RowType,),
}

#: The type of the value: fixed, or from the arguments.
Result = DataType | Callable[[Sequence[Expression]], DataType]


def type_of(argument: Expression) -> DataType:
    """The type of a resolved expression."""
    assert argument.type is not None, f"{argument} is not resolved"
    return argument.type


def types_of(args: Sequence[Expression]) -> list[DataType]:
    """The types of resolved expressions."""
    return [type_of(each) for each in args]


def any_nullable(args: Sequence[Expression]) -> bool:
    """Whether one of them may be NULL."""
    return any(map(is_nullable, types_of(args)))


def constant(argument: Expression) -> object:
    """The value of a literal; None for anything else."""
    return argument.value if isinstance(argument, Literal) else None


def refuse(name: str, args: Sequence[Expression], takes: str) -> ValidationError:
    """The error of arguments that do not fit."""
    given = ", ".join(summary(each) for each in types_of(args))
    return ValidationError(f"{name}: expected {takes}, got ({given}); cast the arguments with CAST(... AS ...)")


def rule(name: str, parameters: str, result: Result, nullable: bool | None = None) -> Rule:
    """The rule of a function with these parameters.

    Args:
        name: The function's, for errors.
        parameters: Names of families, separated by commas: ``string, whole?``. A part with ``?`` may be left out; the
            last one with ``*`` may be there any number of times, none included.
        result: The type of the value, without regard to NULL.
        nullable: Whether the value may be NULL; None: where an argument may.
    """
    parts = [part.strip() for part in parameters.split(",") if part.strip()]
    takes = "(" + ", ".join(parts).replace("?", " or nothing").replace("*", " ...") + ")"
    families = [FAMILIES[part.rstrip("?*")] for part in parts]

    def resolve(args: Sequence[Expression]) -> DataType:
        for place, given in enumerate(types_of(args)):
            family = families[min(place, len(families) - 1)]
            if not isinstance(given, (*family, NullType)):
                raise refuse(name, args, takes)
        found = result if isinstance(result, DataType) else result(args)
        return with_nullability(found, any_nullable(args) if nullable is None else nullable)

    return resolve


def argument(place: int) -> Callable[[Sequence[Expression]], DataType]:
    """The type of that argument."""
    return lambda args: type_of(args[place])


def common_of(
    name: str,
    first: int = 0,
    step: int = 1,
    common: Callable[[Iterable[DataType]], DataType | None] = common_type,
) -> Callable[[Sequence[Expression]], DataType]:
    """The type that arguments from `first` on have in common, by `common_type` or `types.merged_type`."""

    def resolve(args: Sequence[Expression]) -> DataType:
        found = common(types_of(args[first::step]))
        if found is None:
            raise refuse(name, args, "arguments of types that have one in common")
        return found

    return resolve


def quoted(value: object) -> str:
    """A value as a constant in Python text that is still to be formatted."""
    return repr(value).replace("{", "{{").replace("}", "}}")
