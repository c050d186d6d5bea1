"""Code of single rows: projections, conditions and table functions, one after the other, in one piece of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datastream.errors import UnsupportedOperation, cut
from datastream.graph.operators.relational import CodeLine, RowCode
from datastream.table.functions.collections import NUMBERED, UNNEST
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.plan.expression_trees import conjuncts, walk
from datastream.table.plan.expressions import Alias, Call, Expression, Field
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import ArrayType, DataType, MapType, MultisetType
from datastream.table.types.row_type import RowType

from .expression_code import Code, ExpressionCode, null_rejecting
from .names import Names
from .shown_rows import shown_row
from .user_calls import RowFromPython, arguments
from .user_open import Opened

#: What lines are about that load columns.
_LOADS = "columns"


@dataclass
class _Pending:
    """A column of a projection that is evaluated where it is first used.

    Attributes:
        expression: Over the fields before.
        fields: Those.
        shared: It is evaluated once in any case: it may give something else the next time, or takes long.
    """

    expression: Expression
    fields: list[Code | _Pending]
    shared: bool


class RowCompiler:
    """Compiles what is done with a row.

    Args:
        width: How many columns the record has.
        changes: The record has its kind in front.
        functions: Finds functions.
        zone: The session's time zone.
        nullable: Which columns may be NULL.
        kinds: The columns' types, for errors.

    Attributes:
        updates_apart: What takes the place of a row is new, and what is replaced is deleted: they are not as many.
    """

    def __init__(
        self,
        width: int,
        changes: bool,
        functions: FunctionLookup,
        zone: str,
        nullable: Sequence[bool] | None = None,
        kinds: Sequence[DataType] = (),
    ) -> None:
        self.names = Names()
        self.changes, self._functions, self._zone = changes, functions, zone
        self.record = self.names.variable("r")
        self._lines: list[CodeLine] = []
        self._depth = 0
        self._untouched = True
        self._first = int(changes)
        self._shown = shown_row(kinds, self._first, zone)
        may = [True] * width if nullable is None else list(nullable)
        self._columns = [Code(f"{self.record}[{i + self._first}]", may[i], True) for i in range(width)]
        self._loaded: dict[int, str] = {}
        self.fields: list[Code | _Pending] = list(self._columns)
        self._opened: list[Any] = []
        self.updates_apart = False

    # -- steps -------------------------------------------------------------------------------------

    def line(self, text: str, what: str) -> None:
        """Add a line; `what` it evaluates, for errors."""
        self._lines.append(CodeLine(self._depth, text, what))

    def block(self, head: str, what: str) -> None:
        """All that follows stands in a block."""
        self.line(f"{head}:", what)
        self._depth += 1

    def project(self, expressions: Sequence[Expression]) -> None:
        """Replace the row by these columns."""
        before, made = self.fields, []
        for expression in expressions:
            expression = _bare(expression)
            if isinstance(expression, Field):
                made.append(before[expression.index])
            else:
                made.append(_Pending(expression, before, self._shared(expression)))
        self._untouched = self._untouched and len(made) == len(before) and all(map(_is, made, before))
        self.fields = made
        for i, (field, expression) in enumerate(zip(made, expressions, strict=True)):
            if isinstance(field, _Pending) and not self._deterministic(expression):
                self._field(made, i, False)

    def filter(self, condition: Expression) -> None:
        """Keep the row where the condition is TRUE."""
        tests: list[tuple[str, Expression]] = []
        for part in conjuncts(condition):
            lines = len(self._lines)
            made = self._expressions().condition(part)
            if tests and any(
                line.what != _LOADS for line in self._lines[lines:]
            ):  # what it needs is evaluated after the tests before it
                loads, self._lines = self._lines[lines:], self._lines[:lines]
                self._test(tests)
                self._lines += [line._replace(depth=line.depth + 1) for line in loads]
                tests = []
            tests.append((made, part))
            for index in null_rejecting(part, self._functions):
                self._not_null(index)
        self._test(tests)

    def _test(self, tests: Sequence[tuple[str, Expression]]) -> None:
        self.block(f"if {' and '.join(text for text, _ in tests)}", cut_text(" and ".join(str(e) for _, e in tests)))

    def append(self, codes: Sequence[Code]) -> None:
        """Add columns to the row."""
        self.fields = [*self.fields, *codes]
        self._untouched = False

    def value(self, expression: Expression) -> Code:
        """The code of an expression over the row, as a variable or constant."""
        return self._kept(self._expressions().value(expression), expression)

    def correlate(self, call: Call, width: int, outer: bool, condition: Expression | None = None) -> None:
        """Go on with each row that a table function makes, after the columns so far.

        Args:
            call: The function.
            width: How many columns it makes.
            outer: Where it makes none, one row of NULLs.
            condition: Over the columns so far and those of the function: other rows are as if they were not made.
        """
        made = self.names.variable("t")
        rows = self._unnested(call, width) if call.function in (UNNEST, NUMBERED) else self._table_call(call)
        if condition is not None:
            rows = f"filter(lambda {made}: {self._test_of(made, width, condition)}, {rows})"
        if outer:
            rows = f"{self.names.bind(_or_nulls)}({rows}, {width})"
        self.block(f"for {made} in {rows}", self._what(call))
        self.append([self._loaded_from(made, i) for i in range(width)])

    def code(self) -> RowCode:
        """The code; its results are tuples of the columns, after their kind where the record has one."""
        kind = f"{self.record}[0], " if self.changes else ""
        if self.changes and self.updates_apart:
            kind = f"{self.record}[0] % 2 * 3, "
        if self._untouched:
            result = self.record
        else:
            texts = [self._field(self.fields, i, False).text for i in range(len(self.fields))]
            result = f"({kind}{', '.join(texts)}{',' if texts else ''})"
        functions = tuple(Opened(function) for function in self._opened)
        bound, reads = dict(self.names.bound), self.names.reads_watermark
        return RowCode(self.record, tuple(self._lines), self._depth, result, bound, functions, reads, self._shown)

    def insert_code(self) -> RowCode:
        """Code that puts the kind +I in front of each record."""
        return RowCode(self.record, (), 0, f"(0, *{self.record})")

    @property
    def passes(self) -> bool:
        """Whether the code does nothing."""
        return self._untouched and not self._lines

    # -- parts -------------------------------------------------------------------------------------

    def _expressions(self, fields: list[Code | _Pending] | None = None, branch: bool = False) -> ExpressionCode:
        of = self.fields if fields is None else fields
        made = ExpressionCode(
            lambda i, inner: self._field(of, i, branch or inner), self.names, self._functions, self._zone
        )
        made.used = self._opened
        return made

    def _field(self, fields: list[Code | _Pending], index: int, branch: bool) -> Code:
        found = fields[index]
        if isinstance(found, Code):
            return self._load(found)
        if branch and not found.shared:
            return self._expressions(found.fields, True).value(found.expression)
        made = self._kept(self._expressions(found.fields).value(found.expression), found.expression)
        for holder in (fields, self.fields):
            for i, other in enumerate(holder):
                if other is found:
                    holder[i] = made
        return made

    def _load(self, code: Code) -> Code:
        """A column of the record, in a variable."""
        if not code.text.startswith(f"{self.record}["):
            return code
        index = int(code.text[len(self.record) + 1 : -1])
        if index not in self._loaded:
            self._loaded[index] = name = self.names.variable("f")
            self.line(f"{name} = {code.text}", _LOADS)
        return Code(self._loaded[index], code.nullable, True)

    def _not_null(self, index: int) -> None:
        known = self.fields[index]
        if isinstance(known, Code):
            self.fields = [
                Code(field.text, False, True) if isinstance(field, Code) and field.text == known.text else field
                for field in self.fields
            ]

    def _kept(self, code: Code, expression: Expression) -> Code:
        if code.simple:
            return code
        name = self.names.variable()
        self.line(f"{name} = {code.text}", self._what(expression))
        return Code(name, code.nullable, True)

    def _loaded_from(self, row: str, index: int) -> Code:
        name = self.names.variable()
        self.line(f"{name} = {row}[{index}]", _LOADS)
        return Code(name, True, True)

    def _test_of(self, row: str, width: int, condition: Expression) -> str:
        """The text of a condition over the columns so far and those of a row that a table function made."""
        fields = [*self.fields, *(Code(f"{row}[{i}]", True) for i in range(width))]
        return self._expressions(fields).condition(condition)

    def _table_call(self, call: Call) -> str:
        found = self._functions.find(call.function)
        if found is None or isinstance(found, Entry | AggregateEntry) or found.kind != "table" or found.pandas:
            raise UnsupportedOperation(f"{call} is not a table function that is supported yet")
        if found.function not in self._opened:
            self._opened.append(found.function)
        args = [(self.value(arg), type_of(arg)) for arg in call.args]
        run = self.names.bind(found.function.eval, "u")
        rows = self.names.bind(TableRows(RowFromPython(found.result_type, self._zone)))
        return f"{rows}({run}({arguments(args, self.names, self._zone)}))"

    def _unnested(self, call: Call, width: int) -> str:
        kind = type_of(call.args[0])
        of_rows = isinstance(getattr(kind, "element_type", None), RowType)
        run = self.names.bind(_UNNEST[type(kind)])
        numbered = call.function == NUMBERED
        rows = f"{run}({self.value(call.args[0]).text}, {width - numbered if of_rows else 0})"
        return f"{self.names.bind(_numbered)}({rows})" if numbered else rows

    def _shared(self, expression: Expression) -> bool:
        return not self._deterministic(expression) or any(
            isinstance(part, Call) and not isinstance(self._functions.find(part.function), Entry)
            for part in walk(expression)
        )

    def _deterministic(self, expression: Expression) -> bool:
        calls = [self._functions.find(part.function) for part in walk(expression) if isinstance(part, Call)]
        return all(getattr(function, "deterministic", True) for function in calls)

    def _what(self, expression: Expression) -> str:
        """What people know an expression as: the user function in it, or its text."""
        for part in walk(expression):
            if isinstance(part, Call):
                found = self._functions.find(part.function)
                if found is not None and not isinstance(found, Entry | AggregateEntry):
                    return found.name
        return cut_text(str(expression))


class TableRows:
    """A function: what a table function returned -> its rows inside.

    Args:
        convert: A result -> the row inside.
    """

    def __init__(self, convert: RowFromPython) -> None:
        self._convert = convert

    def __call__(self, results: Any) -> Any:
        if results is None:
            return ()
        if isinstance(results, (str, bytes)) or not hasattr(results, "__iter__") or hasattr(results, "_values"):
            return (self._convert(results),)
        return map(self._convert, results)


def _or_nulls(rows: Any, width: int) -> Any:
    found = list(rows)
    return found or [(None,) * width]


def _elements(values: Any, width: int) -> Any:
    """The rows of elements; `width` is that of rows, of which NULL is none, or 0: they are single values."""
    if values is None:
        return ()
    return [v for v in values if v is not None] if width else [(v,) for v in values]


def _counted(values: Any, width: int) -> Any:
    return _elements(None if values is None else [v for v, n in values.items() for _ in range(n)], width)


def _entries(values: Any, width: int) -> Any:
    return () if values is None else list(values.items())


def _numbered(rows: Any) -> Any:
    return [(*row, place) for place, row in enumerate(rows, 1)]


_UNNEST: dict[type[DataType], Any] = {ArrayType: _elements, MultisetType: _counted, MapType: _entries}


def cut_text(text: str) -> str:
    """A text of at most 200 characters."""
    return text if len(text) <= 200 else cut(text)


def _bare(expression: Expression) -> Expression:
    return _bare(expression.arg) if isinstance(expression, Alias) else expression


def _is(a: object, b: object) -> bool:
    return a is b
