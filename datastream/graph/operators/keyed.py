"""Operators of one stream that keep state by key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.functions import KeyedProcessFunction
from datastream.graph.slots import OF_WINDOWS, TIMERS
from datastream.graph.state_forms import StateForm, Stored
from datastream.windows.operation import WindowOperation

from .operator import FunctionOperator, Operator


@dataclass(frozen=True)
class Reduce(FunctionOperator):
    """The running aggregate of each key; in batch mode its last value."""

    kind: ClassVar[str] = "reduce"
    keyed: ClassVar[bool] = True
    hosted: ClassVar[bool] = True
    #: Where the states of the function lie.
    FUNCTION: ClassVar[str] = "function"

    function: Callable[[Any, Any], Any]

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (
            StateForm(Stored.VALUES, "(reduce)", typed=True),
            StateForm(Stored.CONTENTS, place=self.FUNCTION, slots=TIMERS),
        )


@dataclass(frozen=True)
class KeyedProcess(FunctionOperator):
    """A function with state and timers of each key.

    Attributes:
        function: What is called for a record.
        instance: Has ``on_timer``.
    """

    kind: ClassVar[str] = "keyed_process"
    keyed: ClassVar[bool] = True
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = True
    splits: ClassVar[bool] = True

    function: Callable[[Any, KeyedProcessFunction.Context], Iterable[Any] | None]

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (StateForm(Stored.CONTENTS, slots=TIMERS),)


@dataclass(frozen=True)
class ProcessTable(KeyedProcess):
    """A process table function with state and timers of each partition. Rows have their time in a column."""

    kind: ClassVar[str] = "process_table"
    reads_time: ClassVar[bool] = False
    reads_watermarks: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = False
    splits: ClassVar[bool] = False


@dataclass(frozen=True)
class Window(Operator):
    """Groups the records of each key in windows, and gives what a function makes of each.

    Attributes:
        operation: Assigner, trigger, evictor and functions.
    """

    kind: ClassVar[str] = "window"
    keyed: ClassVar[bool] = True
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = True
    splits: ClassVar[bool] = True

    operation: WindowOperation

    @property
    def user_code(self) -> Any:
        return self.operation

    @property
    def rich_function(self) -> Any:
        return self.operation

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (StateForm(Stored.CONTENTS, slots=(*TIMERS, *OF_WINDOWS)),)
