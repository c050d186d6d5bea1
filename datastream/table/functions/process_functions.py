"""Functions that take tables: `ProcessTableFunction`, and how it declares arguments and state."""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from datastream.errors import UnsupportedOperation, ValidationError, cut
from datastream.table.functions.user_functions import UserDefinedFunction
from datastream.table.types.logical_types import DataType

T = TypeVar("T")


class ArgumentTrait(Enum):
    """What an argument of a `ProcessTableFunction` is, and what it asks of a call."""

    #: A constant. This is the default.
    SCALAR = "SCALAR"
    #: A table whose rows are processed one by one, by any subtask. There is no state.
    ROW_SEMANTIC_TABLE = "ROW_SEMANTIC_TABLE"
    #: A table whose rows with the same values of PARTITION BY are processed together, with state and timers.
    SET_SEMANTIC_TABLE = "SET_SEMANTIC_TABLE"
    #: Of a table with set semantics: without PARTITION BY all rows are of one partition.
    OPTIONAL_PARTITION_BY = "OPTIONAL_PARTITION_BY"
    #: All columns of the table come before those of the function.
    PASS_COLUMNS_THROUGH = "PASS_COLUMNS_THROUGH"
    #: The table may have updates. Rows have their kind.
    SUPPORT_UPDATES = "SUPPORT_UPDATES"
    #: Of a table with updates: rows -U are there, too.
    REQUIRE_UPDATE_BEFORE = "REQUIRE_UPDATE_BEFORE"
    #: Of a table with updates: rows -D have all columns.
    REQUIRE_FULL_DELETE = "REQUIRE_FULL_DELETE"
    #: A call must give ``on_time``.
    REQUIRE_ON_TIME = "REQUIRE_ON_TIME"


@dataclass(frozen=True, init=False)
class ArgumentHint:
    """Declares an argument of ``eval``: ``Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)]``.

    Args:
        traits: What it is. Default: `ArgumentTrait.SCALAR`.
        name: In calls by name. Default: that of the parameter.
        type: Of a constant; of a table the type its rows must have. Default: that of the type hint; any table.
        is_optional: A call need not give it: it is the parameter's default, or None.
    """

    traits: frozenset[ArgumentTrait]
    name: str | None
    type: DataType | str | None
    is_optional: bool

    def __init__(
        self,
        *traits: ArgumentTrait,
        name: str | None = None,
        type: DataType | str | None = None,
        is_optional: bool = False,
    ) -> None:
        for trait in traits:
            if not isinstance(trait, ArgumentTrait):
                raise ValidationError(f"ArgumentHint needs values of ArgumentTrait, got {cut(trait)}")
        for field, value in (("traits", frozenset(traits)), ("name", name), ("type", type)):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "is_optional", is_optional)


@dataclass(frozen=True)
class StateHint:
    """Declares a parameter of ``eval`` as state of the partition: ``Annotated[CountState, StateHint()]``.

    The parameter is a dataclass whose fields have defaults, a `Row` whose `type` is given, a `ListView` or a `MapView`.

    Attributes:
        ttl: How long it is kept after it was last written: a timedelta, or a text such as ``1 d``. Zero: for good.
            Default: the option ``table.exec.state.ttl``.
        type: Its data type. Default: that of the type hint.
        name: In checkpoints. Default: that of the parameter.
    """

    ttl: dt.timedelta | str | None = None
    type: DataType | str | None = None
    name: str | None = None


@dataclass(frozen=True)
class TableSemantics:
    """What a function can know of a table that it is called with.

    Attributes:
        columns: The names of its columns.
        partition: The indexes of those of PARTITION BY.
        time: The index of the column of ``on_time``; -1: there is none.
    """

    columns: tuple[str, ...]
    partition: tuple[int, ...] = ()
    time: int = -1

    def partition_by_columns(self) -> list[int]:
        """The indexes of the columns of PARTITION BY."""
        return list(self.partition)

    def time_column(self) -> int:
        """The index of the column of ``on_time``; -1: there is none."""
        return self.time


class TimeContext(ABC, Generic[T]):
    """Event time, and timers of the partition. Times are of the class that `Context.time_context` was called with."""

    @abstractmethod
    def time(self) -> T | None:
        """The time of the row, or of the timer that fires; None: the call has no ``on_time``."""

    @abstractmethod
    def table_watermark(self) -> T | None:
        """The watermark of the table that the row is of; None: there was none yet."""

    @abstractmethod
    def current_watermark(self) -> T | None:
        """The watermark of all tables together; None: there was none yet."""

    @abstractmethod
    def register_on_time(self, name_or_time: str | T, time: T | None = None) -> None:
        """Let ``on_timer`` be called when the watermark reaches a time: ``register_on_time(time)``, or with a name.

        Args:
            name_or_time: The timer's name; a timer of the same name in the partition is replaced. Or the time.
            time: After a name: the time.
        """

    @abstractmethod
    def clear_timer(self, name_or_time: str | T) -> None:
        """Remove the timer of a name, or that of a time without a name. Nothing happens where there is none."""

    @abstractmethod
    def clear_all_timers(self) -> None:
        """Remove all timers of the partition."""


class Context(ABC):
    """What ``eval`` can ask for, as its first parameter."""

    @abstractmethod
    def time_context(self, time_type: type[T]) -> TimeContext[T]:
        """Time and timers.

        Args:
            time_type: How times are given and taken: ``int`` for milliseconds, ``datetime`` or `Instant`.
        """

    @abstractmethod
    def table_semantics_for(self, arg_name: str) -> TableSemantics:
        """What is known of a table argument."""

    @abstractmethod
    def clear_state(self, state_name: str) -> None:
        """Make a state what it is at first, at the end of the call."""

    @abstractmethod
    def clear_all_state(self) -> None:
        """Make all states of the partition what they are at first, at the end of the call."""

    @abstractmethod
    def clear_all_timers(self) -> None:
        """Remove all timers of the partition."""

    @abstractmethod
    def clear_all(self) -> None:
        """Clear all states and all timers of the partition."""


class OnTimerContext(Context):
    """What ``on_timer`` can ask for, as its first parameter."""

    @abstractmethod
    def current_timer(self) -> str | None:
        """The name of the timer that fires; None: it has none."""


class ProcessTableFunction(UserDefinedFunction):
    """Takes tables and constants, and makes rows. It may keep state, and set timers, for each partition.

    A subclass has a method ``eval``, which is called for each row, and maybe ``on_timer``::

        class Reminder(ProcessTableFunction):
            def eval(
                self,
                ctx: ProcessTableFunction.Context,
                seen: Annotated[Seen, StateHint()],
                input: Annotated[Row, ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE)],
                text: str = "hello",
            ):
                yield text, input.name

            def on_timer(self, ctx: ProcessTableFunction.OnTimerContext, seen):
                self.collect((seen.text, seen.name))

    The parameters of ``eval`` are, in this order: the context, if it is wanted; states; tables and constants. Those of
    ``on_timer`` are the context, if it is wanted, and states by their names. Rows are emitted with ``yield`` or
    `collect`.
    """

    Context: TypeAlias = Context
    OnTimerContext: TypeAlias = OnTimerContext
    TimeContext: TypeAlias = TimeContext

    def collect(self, row: Any) -> None:
        """Emit a row: a `Row`, a tuple, or the value of an only column."""
        rows: list[Any] | None = self.__dict__.get("_collected")
        if rows is None:
            raise UnsupportedOperation("collect emits rows only while eval or on_timer runs")
        rows.append(row)

    def get_result_type(self) -> DataType | str:
        """The type of the rows, if it is not given to `udptf`: a ROW type, or the type of an only column."""
        raise UnsupportedOperation(f"{type(self).__name__} has no get_result_type(): give result_type")


class Collecting:
    """Takes the rows that calls of a function emit.

    Args:
        function: The function.
    """

    def __init__(self, function: ProcessTableFunction) -> None:
        self._rows: list[Any] = []
        function.__dict__["_collected"] = self._rows

    def rows_of(self, returned: Iterable[Any] | None) -> list[Any]:
        """The rows of a call.

        Args:
            returned: What the call returned: an iterable, or None.
        """
        rows = self._rows
        if returned is not None:
            for row in returned:  # in the order in which rows were collected and yielded
                rows.append(row)
        found = rows.copy()
        rows.clear()
        return found
