"""Expressions as SQL, for what tables show of their columns and for stored definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from datastream.table.functions.calendar_fields import DATE_FIELDS, TIME_FIELDS
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Literal, Name, Order, Star
from datastream.table.types.intervals import DayTimeIntervalType, YearMonthIntervalType
from datastream.table.types.type_text import quoted, sql
from datastream.table.types.type_traits import traits_of

_INFIX = {
    **{each: each for each in ("+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "||", "AND", "OR", "LIKE")},
    "plus": "+",
    "$plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "mod": "%",
    "equals": "=",
    "notEquals": "<>",
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
    "and": "AND",
    "or": "OR",
    "LIKE": "LIKE",
}
_BEHIND = {
    **{f"IS {each}": f"IS {each}" for each in ("NULL", "NOT NULL", "TRUE", "FALSE", "NOT TRUE", "NOT FALSE")},
    "isNull": "IS NULL",
    "isNotNull": "IS NOT NULL",
    "isTrue": "IS TRUE",
    "isFalse": "IS FALSE",
    "isNotTrue": "IS NOT TRUE",
    "isNotFalse": "IS NOT FALSE",
}
#: Names in the library that differ from SQL's in more than case and underscores.
_NAMES = {
    "$concat": "CONCAT",
    "$row": "ROW",
    "ifThenElse": "IF",
    "$ifThenElse": "IF",
    "minusPrefix": "-",
    "toTimestampLtz": "TO_TIMESTAMP_LTZ",
    "truncate": "TRUNCATE",
}
#: Words that are texts in the arguments of a call.
_WORDS = frozenset((*DATE_FIELDS, *TIME_FIELDS, "EPOCH", "BOTH", "LEADING", "TRAILING", "NULL", "ABSENT"))
#: Name and number of arguments -> functions with words between their arguments.
_FORMS = {
    ("BETWEEN", 3): "{0} BETWEEN ASYMMETRIC {1} AND {2}",
    ("NOT BETWEEN", 3): "{0} NOT BETWEEN ASYMMETRIC {1} AND {2}",
    ("BETWEEN SYMMETRIC", 3): "{0} BETWEEN SYMMETRIC {1} AND {2}",
    ("NOT BETWEEN SYMMETRIC", 3): "{0} NOT BETWEEN SYMMETRIC {1} AND {2}",
    ("CURRENT_DATE", 0): "CURRENT_DATE",
    ("CURRENT_TIME", 0): "CURRENT_TIME",
    ("CURRENT_TIMESTAMP", 0): "CURRENT_TIMESTAMP",
    ("LOCALTIME", 0): "LOCALTIME",
    ("LOCALTIMESTAMP", 0): "LOCALTIMESTAMP",
    ("EXTRACT", 2): "EXTRACT({0} FROM {1})",
    **{(name, 1): f"EXTRACT({name} FROM {{0}})" for name in ("YEAR", "QUARTER", "MONTH", "WEEK")},
    **{(name, 1): f"EXTRACT({name} FROM {{0}})" for name in ("HOUR", "MINUTE", "SECOND")},
    ("FLOOR", 2): "FLOOR({0} TO {1})",
    ("CEIL", 2): "CEIL({0} TO {1})",
    ("TRIM", 3): "TRIM({0} {1} FROM {2})",
    ("POSITION", 2): "POSITION({0} IN {1})",
    ("OVERLAY", 3): "OVERLAY({0} PLACING {1} FROM {2})",
    ("OVERLAY", 4): "OVERLAY({0} PLACING {1} FROM {2} FOR {3})",
    ("TIMESTAMPDIFF", 3): "TIMESTAMPDIFF({0}, {1}, {2})",
    ("TIMESTAMPADD", 3): "TIMESTAMPADD({0}, {1}, {2})",
    ("NULLIF", 2): "CASE WHEN {0} = {1} THEN NULL ELSE {0} END",
}
#: Those of them whose arguments may need parentheses.
_SPACED = frozenset(("BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC", "NULLIF"))
_UNITS_US = (("DAY", 86_400_000_000), ("HOUR", 3_600_000_000), ("MINUTE", 60_000_000), ("SECOND", 1_000_000))


def expression_sql(expression: Expression) -> str:
    """An expression as SQL that means the same."""
    match expression:
        case SqlText(text=text):
            return text
        case Name(parts=parts):
            return ".".join(map(quoted, parts))
        case Star():
            return str(expression)
        case Literal():
            return _literal(expression)
        case Cast(arg=arg, to=to, safe=safe):
            return f"{'TRY_CAST' if safe else 'CAST'}({expression_sql(arg)} AS {_short(sql(to.nullable()))})"
        case Alias(arg=arg, name=name):
            return f"{expression_sql(arg)} AS {quoted(name)}"
        case Order(arg=arg, ascending=ascending):
            return f"{expression_sql(arg)} {'ASC' if ascending else 'DESC'}"
        case Call():
            return _call(expression)
    return str(expression)


class SqlText(Expression):
    """An expression that is written in SQL and not parsed yet."""

    text: str

    def __init__(self, text: str) -> None:
        super().__init__()
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SqlText) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def parsed(self) -> Expression:
        """The expression.

        Raises:
            ValidationError: it is none.
        """
        from datastream.table.sql.parser import parse_expression

        return parse_expression(self.text)


def parsed(expression: Expression) -> Expression:
    """The expression itself, or that of a text."""
    return expression.parsed() if isinstance(expression, SqlText) else expression


def _call(call: Call) -> str:
    args = [_operand(arg) for arg in call.args]
    name = call.function
    if name in _INFIX and len(args) > 1:
        return f" {_INFIX[name]} ".join(args)
    if name in _BEHIND and len(args) == 1:
        return f"{args[0]} {_BEHIND[name]}"
    if name in ("minusPrefix", "-"):
        return f"- {args[0]}"
    name, plain = _function(name), [expression_sql(arg) for arg in call.args]
    if name == "NOT":
        return f"NOT {args[0] if _is_both(call.args[0]) else plain[0]}"
    if (name, len(plain)) in _FORMS:
        words = [_word(arg) or text for arg, text in zip(call.args, args if name in _SPACED else plain, strict=True)]
        return _FORMS[name, len(plain)].format(*words)
    if name in ("IN", "NOT IN"):
        return f"{args[0]} {name} ({', '.join(plain[1:])})"
    if name == "CASE":
        return _case(plain)
    if name in ("ARRAY", "MAP"):
        return f"{name}[{', '.join(plain)}]"
    if name in ("JSON_OBJECT", "JSON_ARRAY"):
        return _json(name, _word(call.args[0]) or "NULL", plain[1:])
    return f"{name}({'DISTINCT ' if call.distinct else ''}{', '.join(plain)})"


def _is_both(argument: Expression) -> bool:
    return isinstance(argument, Call) and argument.function.upper() in ("AND", "OR")


def _word(argument: Expression) -> str | None:
    """A word of the syntax, such as a unit, which is a text inside."""
    value = argument.value if isinstance(argument, Literal) else None
    return value if isinstance(value, str) and value in _WORDS else None


def _case(args: Sequence[str]) -> str:
    pairs = zip(args[:-1:2], args[1::2], strict=True)
    return f"CASE {' '.join(f'WHEN {test} THEN {value}' for test, value in pairs)} ELSE {args[-1]} END"


def _json(name: str, on_null: str, args: Sequence[str]) -> str:
    if name == "JSON_OBJECT":
        args = [f"KEY {key} VALUE {value}" for key, value in zip(args[::2], args[1::2], strict=True)]
    return f"{name}({', '.join(args)}{' ' if args else ''}{on_null} ON NULL)"


def _short(kind: str) -> str:
    return kind.replace("VARCHAR(2147483647)", "STRING").replace("VARBINARY(2147483647)", "BYTES")


def _operand(argument: Expression) -> str:
    text = expression_sql(argument)
    nested = isinstance(argument, Call) and (argument.function in _INFIX or argument.function in _BEHIND)
    return f"({text})" if nested else text


def _function(name: str) -> str:
    import re

    if name in _NAMES:
        return _NAMES[name]
    if name.isupper() or "$" in name or "." in name:
        return name
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def _literal(literal: Literal) -> str:
    value: Any = literal.value
    if value is None:
        return "NULL"
    shown = None if literal.type is None else traits_of(literal.type).literal(value)
    if shown is not None:
        return shown
    match literal.type:
        case YearMonthIntervalType():
            return f"INTERVAL '{value}' MONTH"
        case DayTimeIntervalType():
            return _interval(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return str(Literal(value))
    return str(value)


def _interval(us: int) -> str:
    for unit, length in _UNITS_US:
        if us % length == 0 and us:
            return f"INTERVAL '{us // length}' {unit}"
    seconds, rest = divmod(abs(us), 1_000_000)
    fraction = f".{rest:06}".rstrip("0") if rest else ""
    return f"INTERVAL '{'-' if us < 0 else ''}{seconds}{fraction}' SECOND"
