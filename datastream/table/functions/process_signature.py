"""What a `ProcessTableFunction` declares: the tables, constants and states that its ``eval`` takes."""

from __future__ import annotations

import dataclasses
import datetime as dt
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from datastream.config.duration_text import parse_duration_ms
from datastream.errors import ValidationError, cut
from datastream.table.functions.data_view import ListView, MapView
from datastream.table.functions.process_functions import (
    ArgumentHint,
    ArgumentTrait,
    Context,
    OnTimerContext,
    ProcessTableFunction,
    StateHint,
)
from datastream.table.functions.user_functions import UserFunction
from datastream.table.types.logical_types import DataType, ListViewType, MapViewType
from datastream.table.types.row_type import RowField, RowType
from datastream.table.types.type_hints import type_of_hint
from datastream.types import Row

#: Text of a data type -> the type.
ParseType = Callable[[str], DataType]

_TABLES = frozenset({ArgumentTrait.ROW_SEMANTIC_TABLE, ArgumentTrait.SET_SEMANTIC_TABLE})
#: A trait -> those of which an argument has one where it has this one.
_NEEDS = {
    ArgumentTrait.OPTIONAL_PARTITION_BY: frozenset({ArgumentTrait.SET_SEMANTIC_TABLE}),
    ArgumentTrait.PASS_COLUMNS_THROUGH: _TABLES,
    ArgumentTrait.SUPPORT_UPDATES: _TABLES,
    ArgumentTrait.REQUIRE_UPDATE_BEFORE: frozenset({ArgumentTrait.SUPPORT_UPDATES}),
    ArgumentTrait.REQUIRE_FULL_DELETE: frozenset({ArgumentTrait.SUPPORT_UPDATES}),
    ArgumentTrait.REQUIRE_ON_TIME: _TABLES,
}
#: Arguments that every call may give.
ON_TIME, UID = "on_time", "uid"


@dataclass(frozen=True)
class Argument:
    """A table or a constant that a function takes.

    Attributes:
        name: In calls.
        traits: What it is.
        type: Of a constant; of a table None.
        optional: A call need not give it.
        default: What it is then.
    """

    name: str
    traits: frozenset[ArgumentTrait]
    type: DataType | None = None
    optional: bool = False
    default: Any = None

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return bool(self.traits & _TABLES)

    @property
    def by_set(self) -> bool:
        """Whether it is a table with set semantics."""
        return ArgumentTrait.SET_SEMANTIC_TABLE in self.traits


@dataclass(frozen=True)
class StateEntry:
    """A state that a function keeps for each partition.

    Attributes:
        name: In checkpoints.
        parameter: Of ``eval``.
        type: A row, a `ListViewType` or a `MapViewType`.
        make: Of a row: makes the state as it is at first; None: a `Row` of None.
        ttl_ms: How long it is kept after it was written; 0: for good; None: as is configured.
    """

    name: str
    parameter: str
    type: DataType
    make: Callable[..., Any] | None = None
    ttl_ms: int | None = None


@dataclass(frozen=True)
class ProcessSignature:
    """What a function takes.

    Attributes:
        states: The states, in the order of ``eval``'s parameters.
        arguments: Tables and constants, in that order.
        context: ``eval`` takes a context first.
        timer_states: Indexes of the states that ``on_timer`` takes; None: there is no such method.
        timer_context: ``on_timer`` takes a context first.
    """

    states: tuple[StateEntry, ...] = ()
    arguments: tuple[Argument, ...] = ()
    context: bool = False
    timer_states: tuple[int, ...] | None = None
    timer_context: bool = False

    @property
    def tables(self) -> list[Argument]:
        """The table arguments."""
        return [each for each in self.arguments if each.is_table]

    @property
    def constants(self) -> list[Argument]:
        """The other arguments."""
        return [each for each in self.arguments if not each.is_table]

    @property
    def by_set(self) -> bool:
        """Whether tables have set semantics."""
        return any(each.by_set for each in self.arguments)


@dataclass(eq=False)
class ProcessFunction(UserFunction):
    """A `ProcessTableFunction` with its types.

    Attributes:
        signature: What it takes.
    """

    signature: ProcessSignature = field(default_factory=ProcessSignature)


def read_signature(function: ProcessTableFunction, parse: ParseType) -> ProcessSignature:
    """What the methods of a function declare.

    Args:
        function: The function.
        parse: Reads the text of a data type.

    Raises:
        ValidationError: A declaration is missing or wrong; it names the function and the parameter.
    """
    return _Reader(function, parse).read()


class _Reader:
    def __init__(self, function: ProcessTableFunction, parse: ParseType) -> None:
        self._function, self._parse = function, parse
        self._name = type(function).__name__

    def read(self) -> ProcessSignature:
        parameters, hints = self._parameters("eval", Context)
        context = bool(parameters) and self._is_context(parameters[0], hints, Context)
        states: list[StateEntry] = []
        arguments: list[Argument] = []
        for parameter in parameters[context:]:
            hint, declared = _declared(hints.get(parameter.name))
            if isinstance(declared, StateHint):
                if arguments:
                    raise self._wrong(parameter.name, "states come before tables and constants")
                states.append(self._state(parameter.name, hint, declared))
            else:
                arguments.append(self._argument(parameter, hint, declared))
        self._check(states, arguments)
        timer_context, timer_states = self._timer(states)
        return ProcessSignature(tuple(states), tuple(arguments), context, timer_states, timer_context)

    # -- methods -------------------------------------------------------------------------------------

    def _parameters(self, method: str, context: type) -> tuple[list[inspect.Parameter], dict[str, Any]]:
        called = getattr(self._function, method, None)
        if not callable(called):
            raise ValidationError(f"{self._name} has no method {method}, which is called for each row")
        parameters = list(inspect.signature(called).parameters.values())
        for each in parameters:
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD, each.KEYWORD_ONLY):
                raise ValidationError(f"{self._name}.{method}: the parameter {each} must be an ordinary one")
        try:
            return parameters, typing.get_type_hints(called, include_extras=True)
        except NameError as error:
            raise ValidationError(
                f"{self._name}.{method}: the type hints cannot be read: {error}. Define what they name in the module, "
                "not in a function"
            ) from error

    def _is_context(self, parameter: inspect.Parameter, hints: dict[str, Any], kind: type) -> bool:
        hint = hints.get(parameter.name)
        if hint is None:
            return "ctx" in parameter.name or "context" in parameter.name
        return isinstance(hint, type) and issubclass(kind, hint)

    def _timer(self, states: list[StateEntry]) -> tuple[bool, tuple[int, ...] | None]:
        if getattr(self._function, "on_timer", None) is None:
            return False, None
        parameters, hints = self._parameters("on_timer", OnTimerContext)
        context = bool(parameters) and self._is_context(parameters[0], hints, OnTimerContext)
        known = [each.parameter for each in states]
        places = []
        for each in parameters[context:]:
            if each.name not in known:
                there = f"eval has the states {', '.join(known)}" if known else "eval has no states"
                raise ValidationError(f"{self._name}.on_timer: the parameter {each.name} names no state: {there}")
            places.append(known.index(each.name))
        return context, tuple(places)

    # -- states --------------------------------------------------------------------------------------

    def _state(self, parameter: str, hint: Any, declared: StateHint) -> StateEntry:
        given = self._type(parameter, declared.type)
        make: Callable[..., Any] | None = None
        kind: DataType
        origin = typing.get_origin(hint) or hint
        if origin is ListView or isinstance(given, ListViewType):
            kind = given if isinstance(given, ListViewType) else ListViewType(*self._elements(parameter, hint, 1))
        elif origin is MapView or isinstance(given, MapViewType):
            kind = given if isinstance(given, MapViewType) else MapViewType(*self._elements(parameter, hint, 2))
        elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
            make, kind = hint, given or self._row_of(parameter, hint)
            self._check_default(parameter, hint)
        elif isinstance(given, RowType):
            kind = given
        else:
            raise self._wrong(
                parameter,
                f"a state is a dataclass, a ListView, a MapView, or a Row whose StateHint has a type "
                f"ROW<...>, and not {cut(hint) if given is None else given}",
            )
        return StateEntry(declared.name or parameter, parameter, kind, make, self._ttl(parameter, declared.ttl))

    def _elements(self, parameter: str, hint: Any, count: int) -> list[DataType]:
        args = typing.get_args(hint)
        if len(args) != count:
            raise self._wrong(parameter, f"say what is in it: {'ListView[str]' if count == 1 else 'MapView[str, int]'}")
        return [self._of_hint(parameter, each) for each in args]

    def _row_of(self, parameter: str, kind: type) -> RowType:
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = []
        for each in dataclasses.fields(kind):
            hint, declared = _declared(hints[each.name])
            given = declared if isinstance(declared, DataType) else None
            fields.append(RowField(each.name, given or self._of_hint(f"{parameter}.{each.name}", hint)))
        return RowType(fields)

    def _check_default(self, parameter: str, kind: type) -> None:
        try:
            kind()
        except TypeError as error:
            raise self._wrong(parameter, f"all fields of {kind.__name__} need defaults: {error}") from error

    def _ttl(self, parameter: str, ttl: dt.timedelta | str | None) -> int | None:
        if ttl is None:
            return None
        if isinstance(ttl, dt.timedelta):
            return int(ttl / dt.timedelta(milliseconds=1))
        return parse_duration_ms(f"{self._name}.eval, {parameter}, ttl", ttl)

    # -- arguments -----------------------------------------------------------------------------------

    def _argument(self, parameter: inspect.Parameter, hint: Any, declared: Any) -> Argument:
        found = declared if isinstance(declared, ArgumentHint) else ArgumentHint()
        name, traits = found.name or parameter.name, found.traits
        optional = found.is_optional or parameter.default is not parameter.empty
        for trait, needed in _NEEDS.items():
            if trait in traits and not traits & needed:
                one = " or ".join(sorted(each.name for each in needed))
                raise self._wrong(parameter.name, f"{trait.name} needs {one}")
        if traits >= _TABLES or (traits & _TABLES and ArgumentTrait.SCALAR in traits):
            raise self._wrong(parameter.name, "it has either row semantics, set semantics, or is a constant")
        if traits & _TABLES:
            if optional:
                raise self._wrong(parameter.name, "a table cannot be optional")
            return Argument(name, traits)
        if hint is Row or (isinstance(hint, type) and issubclass(hint, Row)):
            raise self._wrong(
                parameter.name, "say what it is: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]"
            )
        kind = self._type(parameter.name, found.type) or self._of_hint(parameter.name, hint)
        default = None if parameter.default is parameter.empty else parameter.default
        return Argument(name, frozenset({ArgumentTrait.SCALAR}), kind, optional, default)

    def _check(self, states: list[StateEntry], arguments: list[Argument]) -> None:
        names = [each.name for each in arguments]
        for name in (*names, *(each.name for each in states)):
            if name in (ON_TIME, UID):
                raise self._wrong(name, "on_time and uid are arguments of every call: choose another name")
        for kind, given in (("arguments", names), ("states", [each.name for each in states])):
            doubled = [name for name in given if given.count(name) > 1]
            if doubled:
                raise ValidationError(f"{self._name}.eval: two {kind} have the name {doubled[0]}")
        tables = [each for each in arguments if each.is_table]
        if not tables:
            raise ValidationError(
                f"{self._name}.eval takes no table: declare one as Annotated[Row, "
                "ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE)]"
            )
        for each in tables:
            if len(tables) > 1 and (not each.by_set or ArgumentTrait.PASS_COLUMNS_THROUGH in each.traits):
                raise self._wrong(each.name, "several tables need set semantics, and none of them PASS_COLUMNS_THROUGH")
        if states and not tables[0].by_set:
            raise self._wrong(states[0].parameter, "only a function of tables with set semantics keeps state")

    # -- types ---------------------------------------------------------------------------------------

    def _type(self, parameter: str, given: DataType | str | None) -> DataType | None:
        if given is None or isinstance(given, DataType):
            return given
        if not isinstance(given, str):
            raise self._wrong(parameter, f"its type must be a data type such as 'BIGINT', got {cut(given)}")
        return self._parse(given)

    def _of_hint(self, parameter: str, hint: Any) -> DataType:
        try:
            return type_of_hint(hint, parameter)
        except ValidationError:
            shown = "it has no type hint" if hint is None else f"there is no data type for the type hint {cut(hint)}"
            raise self._wrong(parameter, f"{shown}: give the hint's type, such as type='BIGINT'") from None

    def _wrong(self, parameter: str, what: str) -> ValidationError:
        return ValidationError(f"{self._name}.eval, parameter {parameter}: {what}")


def _declared(hint: Any) -> tuple[Any, Any]:
    """A type hint, and what `Annotated` says of it."""
    declared = None
    if typing.get_origin(hint) is typing.Annotated:
        hint, *more = typing.get_args(hint)
        declared = next((each for each in more if isinstance(each, ArgumentHint | StateHint | DataType)), None)
    left = [each for each in typing.get_args(hint) if each is not type(None)]
    if len(left) == 1 and len(typing.get_args(hint)) == 2 and type(None) in typing.get_args(hint):
        hint = left[0]
    return hint, declared
