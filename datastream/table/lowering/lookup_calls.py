"""Joins with a table that is looked up in, as async calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from datastream.codegen import SourceText
from datastream.config.duration_text import parse_duration_ms
from datastream.connectors.lookup import LookupFunction
from datastream.errors import ValidationError, cut
from datastream.functions import AsyncFunctionDescriptor, AsyncRetryStrategy, RuntimeContext
from datastream.graph.operators.relational import RowCode
from datastream.table.codegen.calc import RowCompiler
from datastream.table.connectors.lookup import TableLookup
from datastream.table.plan.expressions import Expression
from datastream.table.plan.relations import Column, Filter, Project, Relation, Scan
from datastream.table.plan.temporal_relations import LookupJoin
from datastream.table.planner.lookup_hints import LookupHints
from datastream.table.types.logical_types import is_nullable
from datastream.time import Time

from .context import Lowered, LoweringContext

#: A row -> rows.
Rows = Callable[[tuple[Any, ...]], list[tuple[Any, ...]]]
_OPTION = "table.exec.async-lookup."


@dataclass(frozen=True)
class LookedUp:
    """What a lookup join does with a row.

    Attributes:
        table: For people.
        columns: Of the key, for people.
        key: Of each part of the key: the index of the left column, or None and a constant.
        shift: How many values stand before the columns.
        width: How many columns the right side has.
        left: Rows that find nothing are given too.
        before: Rows for which this returns nothing are not looked up; None: all are.
        rows: What is made of a row of the table; None: it is given as it is.
        after: Rows of both for which this returns nothing are no results; None: all are.
        retries: How often a key is looked up again that has no rows.
        delay_s: How long before.
    """

    table: str
    columns: tuple[str, ...]
    key: tuple[tuple[int | None, Any], ...]
    shift: int
    width: int
    left: bool
    before: RowCode | None
    rows: RowCode | None
    after: RowCode | None
    retries: int = 0
    delay_s: float = 0.0


class LookupRows(LookupFunction):
    """A row -> it with each of the rows that its key has in a table.

    Args:
        join: What is done with a row.
        lookup: Finds the rows of a key.
    """

    def __init__(self, join: LookedUp, lookup: TableLookup) -> None:
        self._key_of = key_of(join.key)
        super().__init__(self._key_of, cache=lookup.cache)
        self._how, self._lookup = join, lookup
        self.known_as = join.table
        self.most_keys = lookup.most_keys

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        of = self._how
        for code in (of.before, of.rows, of.after):
            if code is not None:
                code.open(runtime_context)
        self._before, self._made, self._after = (
            None if code is None else rows_function(code, of.table) for code in (of.before, of.rows, of.after)
        )
        self._nothing = (None,) * of.width
        self._dropped = runtime_context.get_metrics_group().counter("numRowsWithoutPartner")
        self._lookup.open()

    def close(self) -> None:
        self._lookup.close()
        for code in (self._how.before, self._how.rows, self._how.after):
            if code is not None:
                code.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"_how": self._how, "_lookup": self._lookup, "_rows": self._rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["_how"], state["_lookup"])  # type: ignore[misc]
        self._rows = state["_rows"]

    def cached(self, value: Any) -> list[Any] | None:
        of, row = self._how, value[self._how.shift :]
        if self._before is not None and not self._before(row):
            return self._results(value, row, ())
        key = self._key_of(row)
        rows = [] if key is None else self._kept(key)
        if rows is None or (not rows and of.retries and key is not None):
            return None
        return self._results(value, row, rows)

    async def async_invoke(self, value: Any) -> list[Any]:
        row = value[self._how.shift :]
        asks = self._before is None or self._before(row)
        return self._results(value, row, await self._rows_of(row) if asks else ())

    def _results(self, value: tuple[Any, ...], row: tuple[Any, ...], rows: Sequence[Any]) -> list[Any]:
        """A row with each of the rows that were found for it."""
        made, after = self._made, self._after
        if made is not None:
            rows = [each for found in rows for each in made(found)]
        out = [value + right for right in rows if after is None or after(row + right)]
        if not out:
            if self._how.left:
                out.append(value + self._nothing)
            else:
                self._dropped.inc()
        return out

    async def _rows_of(self, row: tuple[Any, ...]) -> list[Any]:
        key = self._key_of(row)
        if key is None:
            return []
        rows = await self._of(key)
        for _ in range(self._how.retries):
            if rows:
                break
            await asyncio.sleep(self._how.delay_s)
            rows = await self._of(key)
        return rows

    async def fetch(self, key: Any) -> list[Any]:
        try:
            return await self._lookup.fetch(key)
        except Exception as error:
            sought = ", ".join(f"{name} = {cut(value)}" for name, value in zip(self._how.columns, key, strict=True))
            raise LookupFailed(f"{self._how.table}: the lookup of {sought} failed: {error}") from error

    async def fetch_many(self, keys: list[Any]) -> list[list[Any]]:
        try:
            return await self._lookup.fetch_many(keys)
        except ConnectionError as error:
            raise ConnectionError(f"{self._how.table}: the lookup of {len(keys)} keys failed: {error}") from error


def key_of(parts: Sequence[tuple[int | None, Any]]) -> Callable[[tuple[Any, ...]], tuple[Any, ...] | None]:
    """A function: a row -> its key, None where a part of it is NULL.

    Args:
        parts: The index of a column, or None and a constant.
    """
    ((first, _), *others) = parts
    if first is not None and not others:
        return lambda row: None if row[first] is None else (row[first],)

    def read(row: tuple[Any, ...]) -> tuple[Any, ...] | None:
        key = tuple([constant if index is None else row[index] for index, constant in parts])
        return None if None in key else key

    return read


class LookupFailed(Exception):
    """A table could not be looked up in; it may pass where a ConnectionError is the cause."""


def lookup_calls(relation: LookupJoin, below: Lowered, context: LoweringContext, zone: str) -> AsyncFunctionDescriptor:
    """How the rows of a lookup join are found: as the options ``table.exec.async-lookup.*`` and its hint say.

    Args:
        relation: The join.
        below: The left rows.
        context: Where the table is.
        zone: The session's time zone.
    """
    steps, scan = _steps(relation.right)
    both = (*relation.left.columns, *relation.right.columns)
    names = tuple(key.column for key in relation.keys)
    hints = LookupHints.of(relation.hints)

    def code(columns: Sequence[Column], steps: Sequence[Relation | Expression]) -> RowCode | None:
        return _code(columns, steps, context, zone)

    join = LookedUp(
        f"table {'.'.join(scan.path)}",
        names,
        tuple((key.left, key.value) for key in relation.keys),
        int(below.updates),
        len(relation.right.columns),
        relation.kind == "left",
        code(relation.left.columns, [] if relation.before is None else [relation.before]),
        code(scan.columns, steps),
        code(both, [] if relation.condition is None else [relation.condition]),
        hints.retries,
        hints.delay_ms / 1000,
    )
    function = LookupRows(join, context.lookup(scan, names))
    return _descriptor(function, hints, below.updates, context)


def _descriptor(
    function: LookupRows, hints: LookupHints, updates: bool, context: LoweringContext
) -> AsyncFunctionDescriptor:
    config, modes = context.config, AsyncFunctionDescriptor.OutputMode
    capacity = hints.capacity or _number(str(config.get(f"{_OPTION}buffer-capacity", 100)))
    timeout = hints.timeout_ms or parse_duration_ms(f"{_OPTION}timeout", config.get(f"{_OPTION}timeout", "3 min"))
    mode = hints.output_mode or str(config.get(f"{_OPTION}output-mode", "ORDERED"))
    unordered = mode.upper() == "ALLOW_UNORDERED" and not updates
    return AsyncFunctionDescriptor(
        function,
        Time.milliseconds(timeout),
        1 if hints.one_by_one else capacity,
        AsyncRetryStrategy.no_restart(),
        modes.UNORDERED if unordered else modes.ORDERED,
    )


def _number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ValidationError(f"{_OPTION}buffer-capacity must be a whole number above 0, got {text}")
    return int(text)


def _steps(relation: Relation) -> tuple[list[Relation], Scan]:
    """What is made of the rows of a table, in order, and the table."""
    steps: list[Relation] = []
    while isinstance(relation, Project | Filter):
        steps.insert(0, relation)
        relation = relation.input
    assert isinstance(relation, Scan)
    return steps, relation


def _code(
    columns: Sequence[Column], steps: Sequence[Relation | Expression], context: LoweringContext, zone: str
) -> RowCode | None:
    """The code of projections and conditions over rows; None: there are none."""
    if not steps:
        return None
    nullable = [is_nullable(column.type) for column in columns]
    compiler = RowCompiler(len(columns), False, context.functions, zone, nullable)
    for step in steps:
        if isinstance(step, Project):
            compiler.project(step.expressions)
        elif isinstance(step, Filter):
            compiler.filter(step.condition)
        elif isinstance(step, Expression):
            compiler.filter(step)
    return compiler.code()


def rows_function(code: RowCode, name: str) -> Rows:
    """A function: a row -> the rows that code makes of it."""
    text = SourceText(**code.bound)
    with text.function("def rows(r)"):
        text.line(f"{code.record} = r")
        text.line("made = []")
        depth = text.depth
        for line in code.lines:
            text.depth = depth + line.depth
            text.line(line.text, line.what)
        text.depth = depth + code.depth
        text.line(f"made.append({code.result})")
        text.depth = depth
        text.line("return made")
    made: Rows = text.compiled("rows", f"rows of {name}")
    return made
