"""Calls of process table functions: arguments are matched with what the function declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from datastream.errors import TypeMismatch, ValidationError
from datastream.table.functions.implicit_casts import fits
from datastream.table.functions.lookup import FunctionLookup
from datastream.table.functions.process_functions import ArgumentTrait
from datastream.table.functions.process_signature import ON_TIME, UID, Argument, ProcessFunction
from datastream.table.plan.errors import refused, unknown, wrong
from datastream.table.plan.expressions import Call, Cast, Descriptor, Expression, Literal, Position
from datastream.table.plan.relations import Column, ProcessTable, Relation, TableArgument, distinct_names
from datastream.table.plan.typed import type_of
from datastream.table.types.logical_types import DataType, LocalZonedTimestampType, TimestampType
from datastream.table.types.row_type import RowType
from datastream.table.types.type_text import summary
from datastream.table.types.values import Origin, to_inside

from .changelog_functions import changelog_function
from .constants import NotConstant, constant
from .predictions import prediction
from .process_arguments import Given, GivenTable
from .resolver import Resolver
from .scope import Scope
from .timed_joins import comes_in_time

#: The column of the only value of a row, and that of the time of ``on_time``.
ONLY, ROWTIME = "EXPR$0", "rowtime"
_UID = re.compile("[a-zA-Z_][a-zA-Z-_0-9]*")


def process_table(
    name: str, given: Sequence[Given], functions: FunctionLookup, position: Position | None = None
) -> Relation:
    """What a process table function makes of its arguments.

    Args:
        name: Of the function.
        given: The arguments.
        functions: Finds functions.
        position: Where the call is written.

    Raises:
        ValidationError: There is no such function, or an argument is missing or wrong.
        UnsupportedOperation: In batch mode.
    """
    made = changelog_function(name, given, functions, position) or prediction(name, given, functions, position)
    if made is not None:
        return made
    function = functions.find(name)
    if function is None:
        raise unknown("function", name, functions.names(), position)
    if not isinstance(function, ProcessFunction):
        raise wrong(f"{name} takes no tables and no arguments by name: it is no process table function", position)
    if functions.of_batch:
        raise refused(f"{name}: process table functions run in streaming mode only, as in Flink", position)
    return _Call(function, functions, position).bind(given)


class _Call:
    def __init__(self, function: ProcessFunction, functions: FunctionLookup, position: Position | None) -> None:
        self._name, self._function, self._functions, self._position = function.name, function, functions, position

    def bind(self, given: Sequence[Given]) -> ProcessTable:
        signature = self._function.signature
        found = self._matched(given)
        times = self._times(found.get(ON_TIME))
        tables = [self._table(each, found[each.name]) for each in signature.tables]
        tables = self._timed(tables, times, found.get(ON_TIME))
        self._check_partitions(tables)
        constants = tuple(self._constant(each, found.get(each.name)) for each in signature.constants)
        call = Call(self._function.name, constants, position=self._position, type=self._function.result_type)
        columns = self._columns(signature.tables, tables)
        return ProcessTable(call, tuple(tables), self._uid(found.get(UID)), columns=columns)

    # -- arguments -----------------------------------------------------------------------------------

    def _matched(self, given: Sequence[Given]) -> dict[str, Given]:
        """The arguments by their names."""
        arguments = self._function.signature.arguments
        names = [*(each.name for each in arguments), ON_TIME, UID]
        found: dict[str, Given] = {}
        for place, each in enumerate(given):
            name = each.name
            if name is None:
                if len(found) > place or any(before.name for before in given[:place]):
                    raise self._wrong("arguments by place come before those by name", each.position)
                if place >= len(names):
                    raise self._wrong(f"takes {len(names)} arguments at most: {', '.join(names)}", each.position)
                name = names[place]
            elif name not in names:
                raise unknown(f"argument of the function {self._name} has the name", name, names, each.position)
            if name in found:
                raise self._wrong(f"the argument '{name}' is given twice", each.position)
            found[name] = each
        missing = [each.name for each in arguments if each.name not in found and not each.optional]
        if missing:
            raise self._wrong(f"the argument '{missing[0]}' is missing; it takes {', '.join(names)}")
        return found

    def _table(self, argument: Argument, given: Given) -> TableArgument:
        table, name = given.value, f"the table argument '{argument.name}'"
        if not isinstance(table, GivenTable):
            raise self._wrong(f"the argument '{argument.name}' expects a table: TABLE t", given.position)
        relation, where = table.relation, table.position
        partition = []
        for each in table.partition:
            if each not in relation.names:
                raise self._wrong(
                    f"Invalid column '{each}' for PARTITION BY clause. Available columns are: "
                    f"[{', '.join(relation.names)}]",
                    where,
                )
            partition.append(relation.names.index(each))
        if partition and not argument.by_set:
            raise self._wrong(f"{name} has row semantics, and only tables with set semantics may be partitioned", where)
        needs = argument.by_set and ArgumentTrait.OPTIONAL_PARTITION_BY not in argument.traits
        if needs and not partition:
            raise self._wrong(f"{name} requires a PARTITION BY clause for parallel processing", where)
        return TableArgument(relation, tuple(partition))

    def _constant(self, argument: Argument, given: Given | None) -> Literal:
        kind = argument.type
        assert kind is not None
        if given is None:
            try:
                value = to_inside(kind.nullable(), origin=Origin.GIVEN)(argument.default)
            except TypeMismatch as error:
                raise self._wrong(f"the default of the argument '{argument.name}': {error}") from error
            return Literal(value, type=kind)
        if not isinstance(given.value, Expression) or isinstance(given.value, Descriptor):
            raise self._wrong(f"the argument '{argument.name}' expects a {summary(kind)}", given.position)
        resolved = Resolver(Scope((), ()), self._functions).resolve(given.value)
        if not fits(type_of(resolved), kind) and not _same(type_of(resolved), kind):
            raise self._wrong(
                f"the argument '{argument.name}' expects a {summary(kind)}, got {resolved}, a "
                f"{summary(type_of(resolved))}: cast it",
                given.value.position or given.position,
            )
        try:
            value = constant(Cast(resolved, kind, type=kind), self._functions)
        except NotConstant as error:
            raise self._wrong(
                f"the argument '{argument.name}' must be a constant, got {resolved}", given.position
            ) from error
        return Literal(value, type=kind)

    def _uid(self, given: Given | None) -> str | None:
        if given is None:
            return None
        value = given.value.value if isinstance(given.value, Literal) else given.value
        if not isinstance(value, str) or not _UID.fullmatch(value):
            raise self._wrong(
                "Invalid unique identifier for process table function. The `uid` argument must be a string literal "
                f"that follows the pattern {_UID.pattern}. But found: {value}",
                given.position,
            )
        return value

    # -- time ----------------------------------------------------------------------------------------

    def _times(self, given: Given | None) -> tuple[str, ...]:
        if given is None:
            return ()
        if not isinstance(given.value, Descriptor):
            raise self._wrong("the argument 'on_time' expects columns: DESCRIPTOR(ts)", given.position)
        return given.value.names

    def _timed(
        self, tables: Sequence[TableArgument], names: tuple[str, ...], given: Given | None
    ) -> list[TableArgument]:
        """The tables with their columns of ``on_time``."""
        arguments = self._function.signature.tables
        where = None if given is None else given.position
        for argument in arguments:
            if not names and ArgumentTrait.REQUIRE_ON_TIME in argument.traits:
                raise self._wrong(
                    f"the table argument '{argument.name}' requires a time attribute. Please provide one using the "
                    f"implicit `on_time` argument. For example: {self._name}(..., on_time => DESCRIPTOR(ts))"
                )
        for name in names:
            if not any(name in table.input.names for table in tables):
                known = [column.name for table in tables for column in table.input.columns if column.time == "rowtime"]
                raise self._wrong(
                    f"the argument 'on_time' names the column '{name}', which no table has; time attributes are: "
                    f"[{', '.join(known)}]",
                    where,
                )
        if not names:
            return list(tables)
        timed = []
        for argument, table in zip(arguments, tables, strict=True):
            found = [name for name in names if name in table.input.names]
            if len(found) != 1:
                raise self._wrong(
                    f"the argument 'on_time' must name one column of each table, and it names {len(found)} of the "
                    f"table argument '{argument.name}'",
                    where,
                )
            place = table.input.names.index(found[0])
            self._check_time(argument, table, place, where)
            timed.append(replace(table, time=place))
        kinds = {type(table.input.columns[table.time].type) for table in timed if table.time is not None}
        if len(kinds) > 1:
            raise self._wrong("the columns of 'on_time' must be all TIMESTAMP or all TIMESTAMP_LTZ", where)
        return timed

    def _check_time(self, argument: Argument, table: TableArgument, place: int, where: Position | None) -> None:
        column = table.input.columns[place]
        of = f"column '{column.name}' in table argument '{argument.name}'"
        if not isinstance(column.type, TimestampType | LocalZonedTimestampType) or column.type.precision > 3:
            raise self._wrong(
                "Unsupported data type for time attribute. The `on_time` argument must reference a TIMESTAMP or "
                f"TIMESTAMP_LTZ column (up to precision 3). However, {of} has data type '{summary(column.type)}'.",
                where,
            )
        if column.time != "rowtime" or not comes_in_time(table.input, place, self._functions):
            raise self._wrong(
                f"the `on_time` argument must reference a time attribute, and the {of} is none: declare WATERMARK FOR "
                f"{column.name} AS {column.name} in its table",
                where,
            )

    # -- results -------------------------------------------------------------------------------------

    def _check_partitions(self, tables: Sequence[TableArgument]) -> None:
        kinds = [tuple(table.input.columns[place].type for place in table.partition) for table in tables]
        same = all(len(each) == len(kinds[0]) and all(map(_same, each, kinds[0])) for each in kinds[1:])
        if not same:
            sets = ", ".join(f"[{', '.join(map(summary, each))}]" for each in kinds)
            raise self._wrong(
                "Invalid PARTITION BY columns. The number of columns and their data types must match across all "
                f"involved table arguments. Given partition key sets: {sets}"
            )

    def _columns(self, arguments: Sequence[Argument], tables: Sequence[TableArgument]) -> tuple[Column, ...]:
        made: list[Column] = []
        for argument, table in zip(arguments, tables, strict=True):
            passed = ArgumentTrait.PASS_COLUMNS_THROUGH in argument.traits
            columns = table.input.columns
            made += columns if passed else [replace(columns[place], time=None) for place in table.partition]
        kind = self._function.result_type
        fields = [(each.name, each.data_type) for each in kind.fields] if isinstance(kind, RowType) else [(ONLY, kind)]
        made += [Column(name, of.nullable()) for name, of in fields]
        timed = next((table for table in tables if table.time is not None), None)
        if timed is not None and timed.time is not None:
            made.append(Column(ROWTIME, timed.input.columns[timed.time].type.not_null(), "rowtime"))
        names = distinct_names([each.name for each in made])
        return tuple(replace(each, name=name) for each, name in zip(made, names, strict=True))

    def _wrong(self, message: str, position: Position | None = None) -> ValidationError:
        return wrong(f"{self._name}: {message}", position or self._position)


def _same(one: DataType, other: DataType) -> bool:
    """Whether types are the same but for their lengths and digits."""
    return type(one) is type(other) or {one.type_name(), other.type_name()} <= {"CHAR", "VARCHAR"}
