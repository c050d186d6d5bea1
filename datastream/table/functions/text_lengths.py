"""How long the strings and bytes are that functions give, as in Flink."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions import types
from datastream.table.functions.signatures import type_of, types_of
from datastream.table.functions.types import LONGEST, string_type
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import BinaryType, CharType, DataType, VarBinaryType, VarCharType


def unchanged(args: Sequence[Expression]) -> DataType:
    """The type of the first argument, a string: the value has as many characters."""
    given = type_of(args[0])
    return given if isinstance(given, types.STRING) else string_type()


def shortened(args: Sequence[Expression]) -> DataType:
    """VARCHAR of the length of the first argument: the value has at most as many characters."""
    return VarCharType(_length(type_of(args[0])))


def joined(args: Sequence[Expression]) -> DataType:
    """The type of ``a || b``: as long as both, of a fixed length where both are."""
    given = types_of(args)
    length = min(sum(map(_length, given)), LONGEST)
    if any(isinstance(each, types.BYTES) for each in given):
        fixed = all(isinstance(each, BinaryType) for each in given)
        return BinaryType(length) if fixed else VarBinaryType(length)
    fixed = all(isinstance(each, CharType) for each in given)
    return CharType(length) if fixed else VarCharType(length)


def overlaid(args: Sequence[Expression]) -> DataType:
    """The type of OVERLAY: VARCHAR as long as the text and what is put over it."""
    return VarCharType(min(_length(type_of(args[0])) + _length(type_of(args[1])), LONGEST))


def _length(given: DataType) -> int:
    return given.length if isinstance(given, (*types.STRING, *types.BYTES)) else LONGEST
