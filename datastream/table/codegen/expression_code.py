"""Expressions as Python text that is put into a generated loop.

All text is an expression: what is used more than once becomes a variable by ``:=`` where it is evaluated first, so
branches that are not taken are not evaluated.
"""

from __future__ import annotations

import math
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from string import Formatter
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.table.functions.casts import cast_text
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.session_zone import SESSION_ZONE, zone_of
from datastream.table.functions.temporal import CURRENT_WATERMARK
from datastream.table.functions.types import STRING, WHOLE
from datastream.table.plan.expressions import Alias, Call, Cast, Expression, Field, Literal
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType, NullType

from .deep_text import is_deep, part
from .names import Names
from .safe_cast import SafeCast
from .user_calls import user_call

#: Functions whose arguments are evaluated as they are needed, by their names in the library.
_CASE = ("case", "ifThenElse", "$ifThenElse")
_COALESCE = ("coalesce", "ifNull")


@dataclass(frozen=True)
class Code:
    """Python text of a value.

    Attributes:
        text: An expression.
        nullable: It may be None.
        simple: It is a variable or a constant: to repeat it costs nothing.
    """

    text: str
    nullable: bool
    simple: bool = False

    @property
    def part(self) -> str:
        """The text as a part of a larger expression."""
        return self.text if self.simple else f"({self.text})"


NULL = Code("None", True, True)


class ExpressionCode:
    """Compiles expressions over the fields of a row.

    Args:
        field: The code of a field, by its index, and whether it may not be evaluated.
        names: Of the code.
        functions: Finds functions.
        zone: The session's time zone.

    Attributes:
        used: The user functions that are called, each once.
    """

    def __init__(self, field: Callable[[int, bool], Code], names: Names, functions: FunctionLookup, zone: str) -> None:
        self._field, self._names, self._functions = field, names, functions
        self._zone = zone
        self._branches = 0
        self.used: list[Any] = []

    def value(self, expression: Expression) -> Code:
        """The code of a value."""
        made = self._value(expression)
        return Code(self._cut(made.text), made.nullable) if is_deep(made.text) else made

    def condition(self, expression: Expression) -> str:
        """Text that is true exactly where the expression is TRUE; it may stand beside ``and``."""
        text = self._condition(expression)
        return self._cut(text) if is_deep(text) else text

    def _cut(self, text: str) -> str:
        """A call of what is too deep to stand in a larger expression."""
        made = part(text, self._names.bound)
        return f"{self._names.bind(made)}({', '.join(made.variables)})"

    def _value(self, expression: Expression) -> Code:
        match expression:
            case Alias(arg=arg):
                return self.value(arg)
            case Field(index=index):
                return self._field(index, self._branches > 0)
            case Literal(value=value):
                return self._literal(value)
            case Cast():
                return self._cast(expression)
            case Call():
                return self._call(expression)
        raise UnsupportedOperation(f"{expression} is not supported yet")

    def _condition(self, expression: Expression) -> str:
        match expression:
            case Alias(arg=arg):
                return self.condition(arg)
            case Call(function="and", args=args):
                return " and ".join(self._conditions(args))
            case Call(function="or", args=args):
                return f"({' or '.join(self._conditions(args))})"
            case Call(function=function, args=args):
                entry = self._functions.find(function)
                if isinstance(entry, Entry) and function not in (*_CASE, *_COALESCE, "not"):
                    text = entry.python if entry.condition is None else entry.condition
                    return self._filled(entry, _text(text, args), args).condition
        made = self.value(expression)
        return made.part

    # -- parts -------------------------------------------------------------------------------------

    def _conditions(self, args: Sequence[Expression]) -> list[str]:
        first = self.condition(args[0])
        with self._branch():
            return [first, *map(self.condition, args[1:])]

    def _literal(self, value: Any) -> Code:
        if value is None:
            return NULL
        if isinstance(value, (bool, str, bytes)):
            return Code(ascii(value), False, True)
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            text = repr(value)
            return Code(f"({text})" if text.startswith("-") else text, False, True)
        return Code(self._names.bind(value), False, True)

    def _cast(self, cast: Cast) -> Code:
        made = self.value(cast.arg)
        if not cast.safe:
            return self._as(made, type_of(cast.arg), cast.to)
        found = cast_text(type_of(cast.arg), cast.to)
        if found is None:
            raise UnsupportedOperation(f"{type_of(cast.arg)} cannot be cast to {cast.to}")
        run = self._names.bind(SafeCast(found[0], self._zoned(found[1])))
        return self._strict(f"{run}({{0}})", [made], True).value

    def _as(self, code: Code, source: DataType, target: DataType) -> Code:
        """A value as one of another type."""
        if isinstance(source, NullType):
            return NULL
        if source.nullable() == target.nullable():
            return code
        found = cast_text(source, target)
        if found is None:
            raise UnsupportedOperation(f"{source} cannot be cast to {target}")
        text, names = found
        return code if text == "{0}" else self._strict(self._library(text, names), [code], False).value

    def _common(self, arg: Expression, target: DataType | None) -> Code:
        """One of several values of which one is chosen, as a value of their common type."""
        made, source = self.value(arg), type_of(arg)
        alike = any(isinstance(source, kinds) and isinstance(target, kinds) for kinds in (STRING, WHOLE))
        return made if target is None or alike else self._as(made, source, target)

    def _library(self, text: str, names: Mapping[str, Any]) -> str:
        return self._names.library(text, self._zoned(names))

    def _zoned(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """What a text names, with the session's time zone."""
        return {**names, SESSION_ZONE: zone_of(self._zone)} if SESSION_ZONE in names else dict(names)

    def _call(self, call: Call) -> Code:
        args = call.args
        if call.function == "and":
            return self._and_or(args, "False", "is False", "True")
        if call.function == "or":
            return self._and_or(args, "True", "is True", "False")
        if call.function in _CASE:
            return self._case(args, call.type)
        if call.function in _COALESCE:
            return self._coalesce(args, call.type)
        if call.function == "not":
            return self._strict("not {0}", [self.value(args[0])], False).value
        entry = self._functions.find(call.function)
        if isinstance(entry, Entry):
            self._names.reads_watermark |= entry.name == CURRENT_WATERMARK
            return self._filled(entry, _text(entry.python, args), args).value
        if entry is None or isinstance(entry, AggregateEntry):
            raise UnsupportedOperation(f"{call} is no function of a single row")
        if entry.kind != "scalar" or entry.pandas:
            kind = "pandas" if entry.pandas else entry.kind
            raise UnsupportedOperation(f"{call}: {kind} functions are not supported here yet")
        if entry.function not in self.used:
            self.used.append(entry.function)
        return Code(user_call(entry, [(self.value(arg), type_of(arg)) for arg in args], self._names, self._zone), True)

    @contextmanager
    def _branch(self, inside: bool = True) -> Iterator[None]:
        """What is compiled meanwhile may not be evaluated."""
        self._branches += inside
        yield
        self._branches -= inside

    def _and_or(self, args: Sequence[Expression], decided: str, test: str, other: str) -> Code:
        codes = [self.value(args[0])]
        with self._branch():
            codes += map(self.value, args[1:])
        if not any(code.nullable for code in codes):
            return Code(f" {'and' if decided == 'False' else 'or'} ".join(code.part for code in codes), False)
        tests, nulls = [], []
        for code in codes:
            name = code.text if code.simple else self._names.variable()
            tests.append(f"{code.text if code.simple else f'({name} := {code.text})'} {test}")
            if code.nullable:
                nulls.append(f"{name} is None")
        return Code(f"{decided} if {' or '.join(tests)} else None if {' or '.join(nulls)} else {other}", True)

    def _case(self, args: Sequence[Expression], target: DataType | None) -> Code:
        text, nullable = "", False
        for i in range(0, len(args) - 1, 2):
            with self._branch(i > 0):
                test = self.condition(args[i])
            with self._branch():
                made = self._common(args[i + 1], target)
            nullable = nullable or made.nullable
            text += f"{made.part} if {test} else "
        with self._branch():
            last = self._common(args[-1], target) if len(args) % 2 else NULL
        return Code(text + last.part, nullable or last.nullable)

    def _coalesce(self, args: Sequence[Expression], target: DataType | None) -> Code:
        text = ""
        for i, arg in enumerate(args):
            with self._branch(i > 0):
                made = self._common(arg, target)
            if not made.nullable or i == len(args) - 1:
                return Code(text + made.part, made.nullable, not text and made.simple)
            name = made.text if made.simple else self._names.variable()
            test = name if made.simple else f"({name} := {made.text})"
            text += f"{name} if {test} is not None else "
        return NULL

    # -- functions ---------------------------------------------------------------------------------

    def _filled(self, entry: Entry, template: str, args: Sequence[Expression]) -> _Filled:
        template = self._library(template, entry.names)
        with self._branch(entry.lazy):
            codes = [self.value(arg) for arg in args]
        if entry.strict:
            return self._strict(template, codes, entry.nullable)
        return self._eager(template, codes, entry.nullable)

    def _strict(self, template: str, args: Sequence[Code], nullable: bool) -> _Filled:
        """A function that returns NULL for NULL."""
        uses, everywhere = _uses(template)
        tests, texts = [], []
        may = False
        for i, arg in enumerate(args):
            if arg.text == "None":
                return _Filled(("True",), "None", True, True)
            text = arg.text
            if not arg.simple and (arg.nullable or uses[i] > 1 or everywhere or ":=" in text):
                text = self._names.variable()
                tests.append(f"({text} := {arg.text})")
            elif arg.simple and arg.nullable:
                tests.append(text)
            texts.append(text if arg.simple or text is not arg.text else f"({text})")
            may = may or arg.nullable
        return _Filled(tuple(dict.fromkeys(tests)), template.format(*texts), True, nullable or may)

    def _eager(self, template: str, args: Sequence[Code], nullable: bool) -> _Filled:
        """A function that gets NULL as it is."""
        uses, everywhere = _uses(template)
        first, texts = [], []
        for i, arg in enumerate(args):
            text = arg.text
            if arg.simple and text != "None" and not text.isidentifier() and " is " in template:
                text = self._names.bind(literal_eval(text))  # Python warns of constants before "is"
                texts.append(text)
                continue
            if not arg.simple and (uses[i] > 1 or everywhere or ":=" in text):
                text = self._names.variable()
                first.append(f"({text} := {arg.text}) is {text}")
            texts.append(text if arg.simple or text is not arg.text else f"({text})")
        may = nullable or any(arg.nullable for arg in args)
        return _Filled(tuple(first), template.format(*texts), False, may)


@dataclass(frozen=True)
class _Filled:
    """The text of a function with its arguments.

    Attributes:
        tests: What comes first: of a strict function, arguments that are not None; else conditions that always hold.
        body: The text.
        strict: It is a strict function.
        nullable: The value may be None.
    """

    tests: tuple[str, ...]
    body: str
    strict: bool
    nullable: bool

    @property
    def value(self) -> Code:
        if not self.tests:
            return Code(self.body, self.nullable, self.body == "None")
        if self.body == "None":
            return NULL
        if self.strict:
            return Code(
                f"None if {' or '.join(f'{test} is None' for test in self.tests)} else {self.body}", self.nullable
            )
        return Code(f"({self.body}) if {' and '.join(self.tests)} else None", self.nullable)

    @property
    def condition(self) -> str:
        if self.body == "None":
            return "False"
        tests = [f"{test} is not None" for test in self.tests] if self.strict else self.tests
        return " and ".join([*tests, f"({self.body})"])


def _text(text: str | Callable[[Sequence[Expression]], str], args: Sequence[Expression]) -> str:
    return text if isinstance(text, str) else text(args)


def _uses(template: str) -> tuple[Counter[int], bool]:
    """How often each argument stands in a text, and whether some part of it may run more than once, or elsewhere."""
    fields = (name for _, name, _, _ in Formatter().parse(template) if name is not None)
    return Counter(int(name) for name in fields if name.isdigit()), " for " in template or "lambda" in template


def null_rejecting(expression: Expression, functions: FunctionLookup) -> set[int]:
    """The indexes of the fields that are not NULL where a condition is TRUE."""
    if not isinstance(expression, Call):
        return set()
    if expression.function == "and":
        return set().union(*(null_rejecting(arg, functions) for arg in expression.args))
    entry = functions.find(expression.function)
    if isinstance(entry, Entry) and entry.strict and expression.function not in ("or", *_CASE, *_COALESCE):
        return _strict_fields(expression, functions)
    if expression.function == "isNotNull":
        return {arg.index for arg in expression.args if isinstance(arg, Field)}
    return set()


def _strict_fields(expression: Expression, functions: FunctionLookup) -> set[int]:
    if isinstance(expression, Field):
        return {expression.index}
    if isinstance(expression, Call):
        entry = functions.find(expression.function)
        if isinstance(entry, Entry) and entry.strict and expression.function not in ("and", "or", *_CASE, *_COALESCE):
            return set().union(*(_strict_fields(arg, functions) for arg in expression.args))
    return set()
