"""Operators of two streams that one function reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Protocol

from datastream.graph.slots import TIMERS
from datastream.graph.state_forms import StateForm, Stored

from .operator import Operator


class TwoInputFunction(Protocol):
    """What such an operator runs: a process function, or what stands for another function or an interval join."""

    def process_element1(self, value: Any, ctx: Any, /) -> Iterable[Any] | None: ...

    def process_element2(self, value: Any, ctx: Any, /) -> Iterable[Any] | None: ...


@dataclass(frozen=True)
class CoProcess(Operator):
    """A function of two streams without keys.

    Attributes:
        function: What is run.
        instance: The user's own object; `function` itself unless that stands for it.
    """

    kind: ClassVar[str] = "co_process"
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True
    splits: ClassVar[bool] = True

    function: TwoInputFunction
    _: KW_ONLY
    instance: Any = None

    @property
    def user_code(self) -> Any:
        return self.function

    @property
    def rich_function(self) -> Any:
        return self.instance


@dataclass(frozen=True)
class KeyedCoProcess(CoProcess):
    """A function of two streams with state and timers of each key; or an interval join."""

    kind: ClassVar[str] = "keyed_co_process"
    keyed: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = True

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (StateForm(Stored.CONTENTS, slots=TIMERS),)
