"""NULL as it is written, without a type: where it may not stand, as in Flink."""

from __future__ import annotations

from collections.abc import Iterable

from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Alias, Expression, Literal
from datastream.table.types.logical_types import NullType

#: Functions that find no type in a NULL beside other arguments, by their names in the library.
_NEEDING_TYPES = frozenset(
    ("plus", "minus", "times", "divide", "mod", "minusPrefix", "||", "concat", "upper", "lower", "abs")
    + ("and", "or", "not", "isTrue", "isFalse", "isNotTrue", "isNotFalse", "ifThenElse", "$ifThenElse", "row")
    + ("count", "sum", "avg", "min", "max")
)


def check_arguments(function: str, args: Iterable[Expression]) -> None:
    """Test the arguments of a function.

    Raises:
        ValidationError: NULL is among them, and needs a type there.
    """
    if function in _NEEDING_TYPES:
        check_values(args)


def check_values(values: Iterable[Expression]) -> None:
    """Test values that stand for themselves: of a SELECT's list, or of VALUES.

    Raises:
        ValidationError: One is NULL.
    """
    for each in values:
        while isinstance(each, Alias):
            each = each.arg
        # What was not written in SQL has no position.
        if isinstance(each, Literal) and isinstance(each.type, NullType) and each.position is not None:
            raise wrong("NULL has no type here: give it one, such as CAST(NULL AS INT)", each.position)
