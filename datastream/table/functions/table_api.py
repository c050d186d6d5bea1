"""Functions of the Table API that differ from those of the same name in SQL, as in Flink."""

from __future__ import annotations

from collections.abc import Sequence

from datastream.table.functions import arithmetic, collections, conditional, strings, types
from datastream.table.functions.casts import CAST_NAMES
from datastream.table.functions.coercion import converted
from datastream.table.functions.entry import Entry
from datastream.table.functions.signatures import any_nullable, refuse, rule, types_of
from datastream.table.functions.text_lengths import joined
from datastream.table.functions.types import common_type, string_type, with_nullability
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import DataType
from datastream.table.types.row_type import RowField, RowType

#: ``col("a") + col("b")``, which also takes strings.
PLUS = "$plus"
#: ``concat(a, b)``, which is as long as both.
CONCAT = "$concat"
#: ``if_then_else(condition, a, b)``, whose type is that of both values.
IF = "$ifThenElse"
#: ``row(a, b)``, whose fields are ``f0``, ``f1`` ...
ROW = "$row"


def _plus_type(args: Sequence[Expression]) -> DataType:
    left, right = types_of(args)
    if not isinstance(left, types.STRING):
        return arithmetic.sum_type("+", "+", args)
    found = string_type() if isinstance(right, types.NUMBER) else common_type((left, right))
    if found is None:
        raise refuse("+", args, "a string, and a string or a number")
    return with_nullability(found, any_nullable(args))


def _plus_text(args: Sequence[Expression]) -> str:
    left, right = types_of(args)
    if not isinstance(left, types.STRING):
        return arithmetic.sum_text("+", "+")(args)
    return f"({{0}} + {'{1}' if isinstance(right, types.STRING) else converted(args, 1, left)})"


def _row_type(args: Sequence[Expression]) -> DataType:
    return RowType([RowField(f"f{place}", each) for place, each in enumerate(types_of(args))], False)


def _if_type(args: Sequence[Expression]) -> DataType:
    return with_nullability(conditional.case_type(args, common_type), any_nullable(args))


ENTRIES: tuple[Entry, ...] = (
    Entry(PLUS, (), (2, 2), _plus_type, _plus_text, names={**CAST_NAMES, **arithmetic.NAMES}),
    Entry(CONCAT, (), (1, None), rule("CONCAT", "string, string*", joined), strings.concat_text),
    Entry(
        IF,
        (),
        (3, 3),
        _if_type,
        lambda args: conditional.case_text(args, _if_type(args)),
        strict=False,
        names=CAST_NAMES,
        lazy=True,
    ),
    Entry(ROW, (), (0, None), _row_type, collections.row_text, strict=False),
)
