"""Operators of a stream, keyed or not, beside a broadcast one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.functions import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from datastream.graph.slots import TIMERS
from datastream.graph.state_forms import StateForm, Stored
from datastream.state import MapStateDescriptor

from .operator import Operator


@dataclass(frozen=True)
class _Broadcasting(Operator):
    """What the two kinds have in common."""

    keeps_broadcast_state: ClassVar[bool] = True
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True
    splits: ClassVar[bool] = True
    serialized: ClassVar[bool] = True

    function: Any
    descriptors: tuple[MapStateDescriptor, ...]

    @property
    def user_code(self) -> Any:
        return self.function

    @property
    def rich_function(self) -> Any:
        return self.function

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (StateForm(Stored.BROADCAST, states=tuple(sorted(one.get_name() for one in self.descriptors))),)


@dataclass(frozen=True)
class BroadcastProcess(_Broadcasting):
    """A function of a stream without keys that reads the broadcast state which it makes of another.

    Attributes:
        function: What is run.
        descriptors: Of its broadcast states.
    """

    kind: ClassVar[str] = "broadcast_process"

    function: BroadcastProcessFunction[Any, Any, Any]


@dataclass(frozen=True)
class KeyedBroadcastProcess(_Broadcasting):
    """The same with state and timers of each key of the first stream.

    Attributes:
        function: What is run.
        descriptors: Of its broadcast states.
    """

    kind: ClassVar[str] = "keyed_broadcast_process"
    keyed: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = True

    function: KeyedBroadcastProcessFunction[Any, Any, Any, Any]

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (StateForm(Stored.CONTENTS, slots=TIMERS), *super().state_forms)
