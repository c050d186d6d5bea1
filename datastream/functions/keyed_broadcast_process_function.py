"""Process functions of a keyed stream and a broadcast stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from datastream.functions.broadcast_process_function import BaseBroadcastProcessFunction

if TYPE_CHECKING:
    from datastream.state import StateDescriptor
    from datastream.time import TimeDomain, TimerService

KEY = TypeVar("KEY")
IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
OUT = TypeVar("OUT")


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[KEY, IN1, IN2, OUT]):
    """Makes any number of records of each record of a keyed stream, with the state that a broadcast stream makes.

    Records of the keyed stream have state and timers of their key too; broadcast records have no key.
    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """The context of a broadcast record."""

        @abstractmethod
        def apply_to_keyed_state(self, state_descriptor: StateDescriptor, function: Any) -> None:
            """Run a function for each key of this subtask that has something in a state.

            Args:
                state_descriptor: Of the state.
                function: A `KeyedStateFunction`, or a function of (key, state).
            """

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """The context of a record of the keyed stream."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Return the service that provides the time and sets timers of the record's key."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Return the key of the record or the firing timer."""

    class OnTimerContext(ReadOnlyContext):
        """The context of a firing timer."""

        @abstractmethod
        def time_domain(self) -> TimeDomain:
            """Return whether the timer is one of event time or of processing time."""

    @abstractmethod
    def process_element(self, value: IN1, ctx: KeyedBroadcastProcessFunction.ReadOnlyContext) -> Iterable[OUT] | None:
        """Return or yield the records for a record of the keyed stream."""

    @abstractmethod
    def process_broadcast_element(self, value: IN2, ctx: KeyedBroadcastProcessFunction.Context) -> Iterable[OUT] | None:
        """Return or yield the records for a broadcast record, and change the broadcast state.

        Every subtask gets every broadcast record and keeps a state of its own: the changes must not depend on the
        subtask or on the order in which different upstream subtasks send.
        """

    def on_timer(self, timestamp: int, ctx: KeyedBroadcastProcessFunction.OnTimerContext) -> Iterable[OUT] | None:
        """Return or yield records when a timer fires.

        Args:
            timestamp: The time the timer was set for, in ms.
            ctx: What is known about the timer.
        """
        return None
