"""Lists of columns as they are written: ranges, everything but some, fields of rows, and aggregates over windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.table.api.window import OverWindow
from datastream.table.dsl.text_expressions import checked_expression, text_expressions
from datastream.table.plan.errors import unknown
from datastream.table.plan.expression_trees import children, rebuild
from datastream.table.plan.expressions import Alias, Call, Expression, Literal, Name, Order, Star


def nodes_of(
    fields: Iterable[Any], names: Sequence[str], call: str, known: Callable[[str], bool] | None = None
) -> list[Expression]:
    """The trees of expressions, one for each column.

    Args:
        fields: What a user gave; a text has any number of expressions.
        names: Of the input's columns.
        call: The method, for errors.
        known: Says which names are functions of users, for a text.
    """
    found: list[Expression] = []
    for field in fields:
        several = text_expressions(field, call, known) if isinstance(field, str) else [checked_expression(field, call)]
        for each in several:
            found += expanded(each.node, names)
    return found


def expanded(node: Expression, names: Sequence[str]) -> list[Expression]:
    """What `with_columns` and `without_columns` stand for; any other expression itself, with its arguments so."""
    if isinstance(node, Star) and not node.table:
        return [Name((name,)) for name in names]
    if isinstance(node, Call) and node.function in ("withColumns", "withoutColumns"):
        places = [place for arg in node.args for place in _places(arg, names)]
        if node.function == "withoutColumns":
            places = [i for i in range(len(names)) if i not in places]
        return [Name((names[place],)) for place in places]
    if isinstance(node, Call):
        args = [each for arg in node.args for each in expanded(arg, names)]
        if len(args) != len(node.args):
            from dataclasses import replace

            return [replace(node, args=tuple(args))]
    if isinstance(node, (Alias, Order)):
        inside = expanded(node.arg, names)
        return [rebuild(node, (inside[0],))] if len(inside) == 1 else [node]
    return [node]


def with_windows(node: Expression, windows: Mapping[str, OverWindow]) -> Expression:
    """An expression with aggregates over windows in the place of ``over(call, alias)``.

    Raises:
        ValidationError: there is no window of the alias.
    """
    if isinstance(node, Call) and node.function == "over":
        call, alias = node.args
        name = alias.parts[0] if isinstance(alias, Name) else str(alias)
        if name not in windows:
            raise unknown("OVER window", name, windows)
        if not isinstance(call, Call):
            raise ValidationError(f"over is for aggregates such as col('a').sum, got {call}")
        return windows[name].applied(call)
    parts = tuple(with_windows(part, windows) for part in children(node))
    return rebuild(node, parts) if parts else node


def _places(argument: Expression, names: Sequence[str]) -> list[int]:
    if isinstance(argument, Call) and argument.function == "rangeTo":
        first, last = (_place(each, names) for each in argument.args)
        if last < first:
            raise ValidationError(f"the range {argument} ends before it starts")
        return list(range(first, last + 1))
    return [_place(argument, names)]


def _place(argument: Expression, names: Sequence[str]) -> int:
    if isinstance(argument, Name):
        if argument.parts[0] not in names:
            raise unknown("column", argument.parts[0], names, argument.position)
        return names.index(argument.parts[0])
    if isinstance(argument, Literal) and isinstance(argument.value, int):
        if not 1 <= argument.value <= len(names):
            raise ValidationError(f"there is no column {argument.value}: there are {len(names)}, counted from 1")
        return argument.value - 1
    raise ValidationError(f"with_columns and without_columns take columns, places and range_, got {cut(argument)}")
