"""Code of accumulators, of the aggregates of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.graph.operators.relational import FoldCode
from datastream.table.functions.entry import AggregateEntry, Entry
from datastream.table.functions.lookup import FunctionLookup, UserFunction
from datastream.table.functions.types import APPROXIMATE
from datastream.table.functions.user_functions import ImperativeAggregateFunction
from datastream.table.plan.expressions import Call, Expression, Field, Literal
from datastream.table.plan.typed import may_be_null, type_of

from .expression_code import Code
from .names import Names
from .pandas_aggregate import PandasAggregate
from .user_calls import FromPython, RowsFromPython, arguments
from .user_open import Opened


class FoldCompiler:
    """Compiles aggregates over rows ``r``.

    Args:
        calls: The aggregates; their arguments and filters are columns.
        changes: Rows have their kind in front, and are also taken out again.
        merges: Accumulators are put together, as those of slices and sessions are.
        functions: Finds functions.
        zone: The session's time zone.
        constants: Index of a column -> the constant that is in it, such as LISTAGG's separator.
        ends: Groups come to an end: their rows may be kept for functions of pandas.
        kinds: Rows have their kind in front. Default: where they are also taken out again.

    Raises:
        UnsupportedOperation: An aggregate cannot take rows out, or be put together.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        changes: bool,
        merges: bool,
        functions: FunctionLookup,
        zone: str,
        constants: Mapping[int, Literal],
        ends: bool = True,
        kinds: bool | None = None,
    ) -> None:
        self._constants, self._ends = constants, ends
        self._first = changes if kinds is None else kinds
        self._changes, self._merges, self._functions, self._zone = changes, merges, functions, zone
        self._names = Names()
        self._slots: list[str] = []
        self._add: list[str] = []
        self._retract: list[str] = []
        self._merge: list[str] = []
        self._values: list[str] = []
        self._opened: list[Any] = []
        count = None
        if changes:
            count = self._slot("0")
            self._add.append(f"acc[{count}] += 1")
            self._retract.append(f"acc[{count}] -= 1")
            self._merge.append(f"acc[{count}] += other[{count}]")
        for call in calls:
            self._call(call)
        self.code = FoldCode(
            first=f"[{', '.join(self._slots)}]",
            add=tuple(self._add),
            retract=tuple(self._retract),
            merge=tuple(self._merge),
            value=f"({', '.join(self._values)},)" if self._values else "()",
            count=count,
            bound=dict(self._names.bound),
            functions=tuple(map(Opened, self._opened)),
        )

    def _slot(self, first: str) -> int:
        self._slots.append(first)
        return len(self._slots) - 1

    def _call(self, call: Call) -> None:
        found = self._functions.find(call.function)
        if isinstance(found, AggregateEntry):
            self._entry(call, found.of([self._constant(arg) for arg in call.args]))
        elif found is not None and not isinstance(found, Entry) and found.pandas and found.kind == "aggregate":
            self._pandas(call, found)
        elif found is not None and not isinstance(found, Entry) and found.kind in ("aggregate", "table_aggregate"):
            self._user(call, found)
        else:
            raise UnsupportedOperation(f"{call}: this aggregate is not supported yet")

    def _constant(self, arg: Expression) -> Expression:
        return self._constants.get(arg.index, arg) if isinstance(arg, Field) else arg

    def _column(self, field: Any) -> str:
        assert isinstance(field, Field), field
        return f"r[{field.index + self._first}]"

    def _entry(self, call: Call, entry: AggregateEntry) -> None:
        slots, add, value = entry.slots, entry.add, entry.value
        if self._changes:
            slots = slots if entry.retract_slots is None else entry.retract_slots
            add = add if entry.retract_add is None else entry.retract_add
            value = value if entry.retract_value is None else entry.retract_value
            if not entry.retract:
                raise UnsupportedOperation(
                    f"{call}: {entry.sql[0]} cannot take rows out again, and its input has updates"
                )
        if self._merges and (not entry.merge or (self._changes and entry.retract_slots is not None)):
            raise UnsupportedOperation(f"{call}: {entry.sql[0]} is not supported for windows that share rows")
        parts = {f"s{i}": f"acc[{self._slot(self._named(_unescaped(first), entry))}]" for i, first in enumerate(slots)}
        parts |= {f"o{i}": slot.replace("acc", "other", 1) for i, slot in enumerate(list(parts.values()))}
        texts = [self._column(arg) for arg in call.args]
        lines: list[str] = []
        args = []
        for text in texts:
            args.append(self._names.variable())
            lines.append(f"{args[-1]} = {text}")
        xs = {f"x{i}": name for i, name in enumerate(args)}
        tests = [] if call.filter is None else [self._column(call.filter)]
        if entry.skips_null:
            tests += [f"{a} is not None" for a, arg in zip(args, call.args, strict=True) if may_be_null(arg)]
        adds, retracts, merges = (
            [line for text in texts for line in self._named(text, entry).format(**parts, **xs).splitlines()]
            for texts in (add, entry.retract if self._changes else (), entry.merge if self._merges else ())
        )
        if call.distinct and args:
            real = len(args) == 1 and isinstance(type_of(call.args[0]), APPROXIMATE)
            adds, retracts, merges = self._distinct(args, adds, retracts, real)
        self._add += [*lines, *_guarded(tests, adds)]
        self._retract += [*lines, *_guarded(tests, retracts)] if self._changes else []
        self._merge += merges if self._merges else []
        self._values.append(f"({self._named(value, entry).format(**parts)})")

    def _distinct(
        self, args: Sequence[str], adds: list[str], retracts: list[str], real: bool = False
    ) -> tuple[list[str], list[str], list[str]]:
        """The same with values counted once: a dict of value -> how often it is there.

        In it, NaN of a real number is a text, as it does not equal itself.
        """
        slot = self._slot("{}")
        seen, key, count = f"acc[{slot}]", self._names.variable(), self._names.variable()
        made = f"{key} = {args[0] if len(args) == 1 else '(' + ', '.join(args) + ')'}"
        undone = f"{args[0] if len(args) == 1 else ', '.join(args)} = {key}"
        if real:
            made += f" if {args[0]} == {args[0]} else 'NaN'"
            undone += f" if {key} != 'NaN' else float('nan')"
        if not self._changes:
            added = [made, f"if {key} not in {seen}:", f"    {seen}[{key}] = 1", *_inside(adds)]
        else:
            added = [
                made,
                f"{count} = {seen}.get({key}, 0)",
                f"{seen}[{key}] = {count} + 1",
                f"if not {count}:",
                *_inside(adds),
            ]
        taken = [
            made,
            f"{count} = {seen}.get({key}, 0)",
            f"if {count} == 1:",
            f"    del {seen}[{key}]",
            *_inside(retracts),
            f"elif {count}:",
            f"    {seen}[{key}] = {count} - 1",
        ]
        merged = [
            f"for {key}, {count} in other[{slot}].items():",
            f"    if {key} not in {seen}:",
            f"        {seen}[{key}] = {count}",
            f"        {undone}",
            *_inside(_inside(adds)),
            "    else:",
            f"        {seen}[{key}] += {count}",
        ]
        return added, taken, merged

    def _user(self, call: Call, function: UserFunction) -> None:
        run = function.function
        if self._changes and not _has(run, "retract"):
            raise UnsupportedOperation(f"{call}: its input has updates, so the function needs a method retract")
        if self._merges and not call.distinct and not _has(run, "merge"):
            raise UnsupportedOperation(f"{call}: windows that share rows need a method merge of the function")
        if run not in self._opened:
            self._opened.append(run)
        slot = self._slot(f"{self._names.bind(run.create_accumulator, 'u')}()")
        texts = [self._names.variable() for _ in call.args] if call.distinct else [*map(self._column, call.args)]
        args = [
            (Code(text, may_be_null(arg), call.distinct), type_of(arg))
            for text, arg in zip(texts, call.args, strict=True)
        ]
        given = ", ".join(filter(None, [f"acc[{slot}]", arguments(args, self._names, self._zone)]))
        tests = [] if call.filter is None else [self._column(call.filter)]
        adds = [f"{self._names.bind(run.accumulate, 'u')}({given})"]
        retracts = [f"{self._names.bind(run.retract, 'u')}({given})"] if self._changes else []
        merges = (
            [f"{self._names.bind(run.merge, 'u')}(acc[{slot}], [{self._names.bind(deepcopy)}(other[{slot}])])"]
            if self._merges
            else []
        )
        lines: list[str] = []
        if call.distinct and call.args:
            lines = [f"{text} = {self._column(arg)}" for text, arg in zip(texts, call.args, strict=True)]
            adds, retracts, merges = self._distinct(texts, adds, retracts)
        self._add += [*lines, *_guarded(tests, adds)]
        self._retract += [*lines, *_guarded(tests, retracts)] if self._changes else []
        self._merge += merges if self._merges else []
        if function.kind == "table_aggregate":
            rows = self._names.bind(RowsFromPython(function.result_type, self._zone, function.name))
            self._values.append(f"{rows}({self._names.bind(run.emit_value, 'u')}(acc[{slot}]))")
            return
        fit = self._names.bind(FromPython(function.result_type, self._zone, function.name))
        self._values.append(f"{fit}({self._names.bind(run.get_value, 'u')}(acc[{slot}]))")

    def _pandas(self, call: Call, function: UserFunction) -> None:
        """A function of all rows at once: they are kept, as tuples of its arguments."""
        if not self._ends:
            raise UnsupportedOperation(
                f"{call}: aggregate functions of pandas need groups that come to an end: use them in windows or in "
                "batch mode"
            )
        if not call.args:
            raise UnsupportedOperation(f"{call}: an aggregate function of pandas needs a column as an argument")
        if function.function not in self._opened:
            self._opened.append(function.function)
        slot = self._slot("[]")
        columns = [self._column(arg) for arg in call.args]
        row = f"({', '.join(columns)},)"
        tests = [] if call.filter is None else [self._column(call.filter)]
        if call.distinct:
            row = self._names.variable()
            lines = [f"{row} = ({', '.join(columns)},)"]
            adds, retracts, merges = self._distinct(
                [row], [f"acc[{slot}].append({row})"], [f"acc[{slot}].remove({row})"]
            )
        else:
            lines, adds, retracts = [], [f"acc[{slot}].append({row})"], [f"acc[{slot}].remove({row})"]
            merges = [f"acc[{slot}] += other[{slot}]"]
        self._add += [*lines, *_guarded(tests, adds)]
        self._retract += [*lines, *_guarded(tests, retracts)] if self._changes else []
        self._merge += merges if self._merges else []
        run = self._names.bind(PandasAggregate(function, [type_of(arg) for arg in call.args], self._zone), "u")
        self._values.append(f"{run}(acc[{slot}])")

    def _named(self, text: str, entry: AggregateEntry) -> str:
        return self._names.library(text, entry.names)


def _unescaped(text: str) -> str:
    """The text of a slot, which holds no places to fill."""
    return text.replace("{{", "{").replace("}}", "}")


def _guarded(tests: Sequence[str], lines: Sequence[str]) -> list[str]:
    if not tests or not lines:
        return list(lines)
    return [f"if {' and '.join(tests)}:", *_inside(lines)]


def _inside(lines: Sequence[str]) -> list[str]:
    """Lines in a block. A line may hold several, and blocks of its own."""
    return [re.sub(r"(?m)^", "    ", line) for line in lines]


def _has(function: Any, method: str) -> bool:
    """Whether an aggregate function has a method of its own that not all have."""
    found = getattr(type(function), method, None)
    return found is not None and found is not getattr(ImperativeAggregateFunction, method)
