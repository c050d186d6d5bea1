"""The value of an expression that reads no column."""

from __future__ import annotations

from typing import Any

from datastream.table.functions.casts import cast_text
from datastream.table.functions.entry import Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.session_zone import SESSION_ZONE
from datastream.table.plan.errors import wrong
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Literal
from datastream.table.plan.typed import type_of


class NotConstant(Exception):
    """It reads columns, calls a user's function, needs the session's time zone, or gives something else each time."""


def constant(expression: Expression, functions: FunctionLookup) -> Any:
    """The value of a resolved expression, in the form that values have inside.

    Raises:
        NotConstant: It has none before the query runs.
        ValidationError: To compute it fails.
    """
    match expression:
        case Literal(value=value):
            return value
        case Alias(arg=arg):
            return constant(arg, functions)
        case Cast(arg=arg):
            value = constant(arg, functions)
            if value is None:
                return None
            text, names = cast_text(type_of(arg), expression.to) or ("", {})
            return _evaluated(text.format("x0"), {**names, "x0": value}, expression)
        case Call(function=name, args=args):
            entry = functions.find(name)
            if not isinstance(entry, Entry) or not entry.deterministic:
                raise NotConstant(name)
            values = [constant(arg, functions) for arg in args]
            if entry.strict and None in values:
                return None
            text = entry.python if isinstance(entry.python, str) else entry.python(args)
            given = {f"x{i}": value for i, value in enumerate(values)}
            return _evaluated(text.format(*given), {**entry.names, **given}, expression)
    raise NotConstant(str(expression))


def _evaluated(text: str, names: dict[str, Any], expression: Expression) -> Any:
    if SESSION_ZONE in text:
        raise NotConstant(SESSION_ZONE)
    try:
        return eval(text, dict(names))
    except Exception as error:
        raise wrong(f"{expression}: {error}", expression.position) from error
