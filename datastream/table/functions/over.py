"""Functions that are known in OVER windows alone.

The text of their slots is that of streaming mode, where Flink counts all rows up to the current one for RANK and
DENSE_RANK alike. In batch mode `datastream.runtime.hosts.relational.positions` computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from datastream.errors import ValidationError
from datastream.table.functions.entry import AggregateEntry, Rule
from datastream.table.functions.signatures import constant, rule, type_of
from datastream.table.plan.expressions import Expression
from datastream.table.types.logical_types import BigIntType, DataType, DoubleType, is_nullable

#: The type of the numbers of rows.
NUMBER = BigIntType(False)

#: Functions that streaming mode has not.
OF_BATCHES = frozenset(("NTILE", "PERCENT_RANK", "CUME_DIST", "lead"))


def _ranking(name: str, kind: DataType, doc: str) -> AggregateEntry:
    return AggregateEntry(
        name,
        (name,),
        (0, 0),
        lambda args: kind,
        slots=("0",),
        add=("{s0} += 1",),
        value="{s0}",
        over_only=True,
        doc=doc,
    )


def _shift(name: str) -> Rule:
    def result(args: Sequence[Expression]) -> DataType:
        rule(name, "any, whole?, any?", lambda args: type_of(args[0]), True)(args)
        kind = type_of(args[0])
        never_null = len(args) > 2 and not is_nullable(kind) and not is_nullable(type_of(args[2]))
        return kind if never_null else kind.nullable()

    return result


def distance(args: Sequence[Expression]) -> int:
    """How many rows LAG looks back, or LEAD ahead.

    Raises:
        ValidationError: It is no constant.
    """
    if len(args) < 2:
        return 1
    found = constant(args[1])
    if not isinstance(found, int):
        raise ValidationError(f"LAG and LEAD take a constant number of rows, got {args[1]}")
    return found


def _lag_of(args: Sequence[Expression]) -> AggregateEntry:
    far = distance(args)
    other = "{x2}" if len(args) > 2 else "None"
    add = ("{s0}.append({x0})", f"del {{s0}}[:-{far + 1}]", f"{{s1}} = {other}")
    return replace(_LAG, add=add, value=f"({{s0}}[0] if len({{s0}}) > {far} else {{s1}})")


_LAG = AggregateEntry(
    "lag",
    ("LAG",),
    (1, 3),
    _shift("LAG"),
    slots=("[]", "None"),
    add=(),
    value="None",
    skips_null=False,
    over_only=True,
    variant=_lag_of,
    doc="The value of the row that is this number of rows earlier, by default 1; where there is none, the "
    "third argument.",
)

ENTRIES: tuple[AggregateEntry, ...] = (
    _ranking("ROW_NUMBER", NUMBER, "The number of the row, from 1."),
    _ranking("RANK", NUMBER, "1 more than the number of rows before those with the same order."),
    _ranking("DENSE_RANK", NUMBER, "The rank without gaps."),
    replace(
        _ranking(
            "NTILE", NUMBER, "The number of the row's part when all rows are divided into this number of equal parts."
        ),
        arity=(1, 1),
    ),
    _ranking("PERCENT_RANK", DoubleType(False), "The rank as a share, from 0 to 1."),
    _ranking("CUME_DIST", DoubleType(False), "The share of rows up to this one."),
    _LAG,
    replace(
        _LAG,
        name="lead",
        sql=("LEAD",),
        result=_shift("LEAD"),
        doc="The value of the row that is this number of rows later, by default 1; where there is none, the "
        "third argument.",
    ),
)

#: Functions whose value follows from where a row is in its partition.
BY_POSITION = frozenset(entry.name for entry in ENTRIES)
