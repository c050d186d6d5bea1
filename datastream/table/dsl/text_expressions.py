"""Expressions as text, as in ``select("word, count(1) as count")``.

The grammar is that of Flink's older Table API. From loose to tight: ``as``; ``||``; ``&&``; ``!``; comparisons; ``+``
and ``-``; ``*``, ``/`` and ``%``; signs; calls after a dot. What is read is put together by the methods of
`Expression`, so ``a.upperCase()`` and ``upperCase(a)`` are ``col("a").upper_case``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, NoReturn

from datastream.errors import ValidationError, cut
from datastream.old_names import warn_of_old
from datastream.table.dsl import expressions
from datastream.table.dsl.expression import Expression
from datastream.table.dsl.old_types import NAMES
from datastream.table.dsl.units import TimeIntervalUnit
from datastream.table.sql.parser import parse_data_type
from datastream.table.types.data_types import DataTypes
from datastream.table.types.logical_types import DataType

Expr = Expression[Any]
#: Whether there is a function of a user's of a name.
Known = Callable[[str], bool]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[lLdDfFpP]?(?![\w]))
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | (?P<name>[^\W\d][\w$]*|`[^`]+`)
    | (?P<sign>===|!==|==|<>|!=|>=|<=|&&|\|\||[-+*/%=<>!().,?])
    | (?P<end>$)
    )""",
    re.VERBOSE,
)
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}
#: Other signs of the same.
_SAME = {"===": "=", "==": "=", "!==": "<>", "!=": "<>"}
_SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": lambda a, b: a + b, "-": lambda a, b: a - b}
_PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}
_CONSTANTS = {"true": True, "false": False}
#: Functions without arguments, and the bounds of OVER windows.
_ALONE = {
    "current_row": expressions.CURRENT_ROW,
    "current_range": expressions.CURRENT_RANGE,
    "unbounded_row": expressions.UNBOUNDED_ROW,
    "unbounded_range": expressions.UNBOUNDED_RANGE,
}
#: Names that are others in Python.
_RENAMED = {"in": "in_", "if": "if_then_else", "null": "null_of", "map": "map_", "not": "not_", "mod": "%"}
#: Functions whose first argument is no object that has them as a method.
_PLAIN = frozenset(expressions.__all__) - {"log", "to_date", "to_timestamp", "lit", "col", "e", "call", "call_sql"}
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def text_expressions(text: str, call: str, known: Known | None = None) -> list[Expr]:
    """The expressions of a text, which have commas between them.

    Args:
        text: The text.
        call: The method that it was given to, for errors.
        known: Says which names are functions of users. Default: none.

    Raises:
        ValidationError: it is not in the grammar.
    """
    warn_of_old("an expression as text", "col('a'), col('b').sum.alias('s') instead of \"a, b.sum as s\"")
    return _Reader(text, call, known or (lambda name: False)).all()


def text_expression(text: str, call: str, known: Known | None = None) -> Expr:
    """The one expression of a text; see `text_expressions`."""
    found = text_expressions(text, call, known)
    if len(found) != 1:
        raise ValidationError(f"{call} needs one expression, got {len(found)} in {cut(text)}")
    return found[0]


def checked_expression(value: Any, call: str, known: Callable[[str], bool] | None = None) -> Expression[Any]:
    """The expression itself, or what a text says in the form of older programs.

    Args:
        value: What a user gave.
        call: The method, for errors.
        known: Says which names are functions of users, for a text.

    Raises:
        ValidationError: it is none.
    """
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return text_expression(value, call, known)
    raise ValidationError(f"{call} needs expressions such as col('a') or lit(1), got {cut(value)}")


def names_in(text: str) -> list[str]:
    """The names of a text such as ``id, name``."""
    return [name.strip() for name in text.split(",")]


class _Reader:
    def __init__(self, text: str, call: str, known: Known) -> None:
        self._text, self._call, self._known = text, call, known
        self._tokens = self._split()
        self._at = 0

    def all(self) -> list[Expr]:
        found = [self._named()]
        while self._take_if(","):
            found.append(self._named())
        if self._kind != "end":
            self._wrong("a comma, 'as' or an operator")
        return found

    # -- tokens ------------------------------------------------------------------------------------

    def _split(self) -> list[tuple[str, str, int]]:
        found, place = [], 0
        while True:
            match = _TOKEN.match(self._text, place)
            if match is None or match.lastgroup is None:
                start = len(self._text) - len(self._text[place:].lstrip())
                if self._text[start] in "'\"`":
                    raise self._error(start, f"the {self._text[start]} has no end")
                raise self._error(start, f"{self._text[start]!r} is not known here")
            found.append((match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
            if match.lastgroup == "end":
                return found
            place = match.end()

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0]

    @property
    def _word(self) -> str:
        kind, text, _ = self._tokens[self._at]
        return text if kind in ("sign", "name") else ""

    def _take(self) -> str:
        text = self._tokens[self._at][1]
        self._at += 1
        return text

    def _take_if(self, *words: str) -> str:
        """The next sign or name, if it is one of these; else an empty text."""
        word = self._word
        if word and (word in words or (word.lower() in words and self._kind == "name")):
            self._at += 1
            return word
        return ""

    def _need(self, word: str) -> None:
        if not self._take_if(word):
            self._wrong(repr(word))

    def _name(self) -> str:
        if self._kind != "name":
            self._wrong("a name")
        return self._take().strip("`")

    def _wrong(self, expected: str) -> NoReturn:
        kind, text, start = self._tokens[self._at]
        raise self._error(start, f"expected {expected}, found {'the end' if kind == 'end' else text}")

    def _error(self, start: int, reason: str) -> ValidationError:
        return ValidationError(f"{self._call}: the expression {cut(self._text)}, column {start + 1}: {reason}")

    # -- the grammar -------------------------------------------------------------------------------

    def _named(self) -> Expr:
        made = self._either()
        if not self._take_if("as"):
            return made
        if not self._take_if("("):
            return made.alias(self._name())
        names = [self._name()]
        while self._take_if(","):
            names.append(self._name())
        self._need(")")
        return made.alias(*names)

    def _either(self) -> Expr:
        made = self._both()
        while self._take_if("||", "or"):
            made = made | self._both()
        return made

    def _both(self) -> Expr:
        made = self._not()
        while self._take_if("&&", "and"):
            made = made & self._not()
        return made

    def _not(self) -> Expr:
        return expressions.not_(self._not()) if self._take_if("!", "not") else self._comparison()

    def _comparison(self) -> Expr:
        made = self._chain(_SUMS, lambda: self._chain(_PRODUCTS, self._sign))
        sign = self._take_if(*_COMPARISONS, *_SAME)
        if not sign:
            return made
        compare = _COMPARISONS[_SAME.get(sign, sign)]
        result: Expr = compare(made, self._chain(_SUMS, lambda: self._chain(_PRODUCTS, self._sign)))
        return result

    def _chain(self, signs: dict[str, Callable[[Any, Any], Any]], read: Callable[[], Expr]) -> Expr:
        made = read()
        while sign := self._take_if(*signs):
            made = signs[sign](made, read())
        return made

    def _sign(self) -> Expr:
        if self._take_if("-"):
            if self._kind == "number":
                return self._parts(self._number(-1))
            return -self._sign()
        return self._sign() if self._take_if("+") else self._parts(self._primary())

    def _parts(self, made: Expr) -> Expr:
        while True:
            if self._take_if("over"):
                made = made.over(expressions.col(self._name()))
            elif self._take_if("."):
                start = self._tokens[self._at][2]
                given = self._take_if("?")
                made = self._called(made.then, "?", self._arguments(), start) if given else self._part(made)
            else:
                return made

    def _part(self, made: Expr) -> Expr:
        """What follows a dot."""
        place = self._at
        name = self._name()
        called = self._word == "("
        if called and self._known(name):
            return expressions.call(name, made, *self._arguments())
        method = _RENAMED.get(name, _snake(name))
        if name == "rows":
            return expressions.row_interval(self._value(made))
        if method in ("cast", "try_cast"):
            self._need("(")
            kind = self._data_type()
            self._need(")")
            return made.cast(kind) if method == "cast" else made.try_cast(kind)
        if not hasattr(Expression, method):
            if not called:
                return made.get(name)
            if expressions_function(name):
                return expressions.call(name, made, *self._arguments())
            near = get_close_matches(method, [each for each in dir(Expression) if not each.startswith("_")], 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise self._error(self._tokens[place][2], f"there is no function {name}{hint}")
        arguments = self._arguments() if called else []
        return self._applied(made, name, method, arguments, self._tokens[place][2])

    def _applied(self, made: Expr, name: str, method: str, arguments: list[Any], start: int) -> Expr:
        """The expression of a method, by its name in the text and its own."""
        if isinstance(getattr(Expression, method), property):
            if arguments:
                raise self._error(start, f"{name} takes no arguments")
            result: Expr = getattr(made, method)
            return result
        if method in ("floor", "ceil", "extract"):
            arguments = [self._unit(each, start) for each in arguments]
        return self._called(getattr(made, method), name, arguments, start)

    def _called(self, function: Callable[..., Expr], name: str, arguments: list[Any], start: int) -> Expr:
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError as error:
            raise self._error(start, f"{name}: {error}") from None
        return function(*arguments)

    def _unit(self, argument: Any, start: int) -> TimeIntervalUnit:
        """A unit of time for the name of one, which is read as a column."""
        name = str(argument).upper().removeprefix("TIMEINTERVALUNIT.")
        if name not in TimeIntervalUnit.__members__:
            units = ", ".join(TimeIntervalUnit.__members__)
            raise self._error(start, f"{cut(str(argument))} is no unit of time; there are {units}")
        return TimeIntervalUnit[name]

    def _arguments(self) -> list[Any]:
        self._need("(")
        if self._take_if(")"):
            return []
        found: list[Any] = [self._argument()]
        while self._take_if(","):
            found.append(self._argument())
        self._need(")")
        return found

    def _argument(self) -> Any:
        made = self._either()
        return self._range(made) if self._take_if("to") else made

    def _primary(self) -> Expr:
        kind = self._kind
        if kind == "number":
            return self._number(1)
        if kind == "text":
            text = self._take()
            return expressions.lit(text[1:-1].replace(text[0] * 2, text[0]))
        if self._take_if("*"):
            return expressions.with_all_columns()
        if self._take_if("("):
            made = self._either()
            self._need(")")
            return made
        if kind != "name":
            self._wrong("an expression")
        return self._name_or_call()

    def _name_or_call(self) -> Expr:
        start = self._tokens[self._at][2]
        quoted = self._text[start] == "`"
        name = self._name()
        if self._word != "(":
            if quoted:
                return expressions.col(name)
            if name.lower() in _CONSTANTS:
                return expressions.lit(_CONSTANTS[name.lower()])
            return _ALONE[name.lower()] if name.lower() in _ALONE else expressions.col(name)
        if self._known(name):
            return expressions.call(name, *self._arguments())
        method = _RENAMED.get(name.lower(), _snake(name))
        if method in ("cast", "try_cast"):
            return self._cast(method)
        if method == "null_of":
            self._need("(")
            kind = self._data_type()
            self._need(")")
            return expressions.null_of(kind)
        arguments = self._arguments()
        if method == "%":
            return self._called(lambda dividend, divisor: dividend % divisor, name, arguments, start)
        if method in _PLAIN or (not arguments and method in expressions.__all__):
            return self._called(getattr(expressions, method), name, arguments, start)
        if arguments and hasattr(Expression, method):
            return self._applied(arguments[0], name, method, arguments[1:], start)
        return expressions.call(name, *arguments)

    def _cast(self, method: str) -> Expr:
        self._need("(")
        made = self._either()
        if not self._take_if(","):
            self._need("as")
        kind = self._data_type()
        self._need(")")
        return made.cast(kind) if method == "cast" else made.try_cast(kind)

    def _range(self, first: Expr) -> Expr:
        last = self._either()
        return expressions.range_(*(self._column(each) for each in (first, last)))

    def _column(self, made: Expr) -> Any:
        from datastream.table.plan.expressions import Literal, Name

        if isinstance(made.node, Name):
            return made.node.parts[0]
        return made.node.value if isinstance(made.node, Literal) else self._wrong("a column")

    def _value(self, made: Expr) -> int:
        from datastream.table.plan.expressions import Literal

        if isinstance(made.node, Literal) and isinstance(made.node.value, int):
            return made.node.value
        self._wrong("a whole number before rows")

    def _data_type(self) -> DataType:
        start = self._at
        name = self._name()
        if name.upper() in NAMES and self._word != "(":
            return NAMES[name.upper()]()
        depth = 0
        while self._kind != "end" and (depth or self._word not in (")", ",")):
            depth += {"(": 1, ")": -1, "<": 1, ">": -1}.get(self._word, 0)
            self._at += 1
        begin, end = self._tokens[start][2], self._tokens[self._at][2]
        try:
            return parse_data_type(self._text[begin:end])
        except ValidationError as error:
            raise self._error(begin, str(error)) from None

    def _number(self, sign: int) -> Expr:
        text = self._take()
        suffix = text[-1].lower() if text[-1].isalpha() else ""
        digits = text.rstrip("lLdDfFpP")
        if suffix == "l":
            return expressions.lit(sign * int(digits), DataTypes.BIGINT(False))
        if suffix == "f":
            return expressions.lit(sign * float(digits), DataTypes.FLOAT(False))
        if suffix == "p":
            return expressions.lit(sign * Decimal(digits))
        if suffix == "d" or not digits.isdigit():
            return expressions.lit(sign * float(digits))
        return expressions.lit(sign * int(digits))


def expressions_function(name: str) -> bool:
    """Whether the library has a function of a name."""
    from datastream.table.functions import library

    return library.find(name) is not None


def _snake(name: str) -> str:
    return _CAPITAL.sub("_", name).lower() if not name.isupper() else name.lower()
