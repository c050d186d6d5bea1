"""Process functions of a stream and a broadcast stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from datastream.functions.contexts import CONTEXT_REMEDIES
from datastream.functions.function import Function
from datastream.missing_names import AdvisedNames

if TYPE_CHECKING:
    from datastream.state import BroadcastState, MapStateDescriptor, ReadOnlyBroadcastState

IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
OUT = TypeVar("OUT")


class BaseBroadcastProcessFunction(Function):
    """What the two kinds of broadcast process functions share: their contexts."""

    class BaseContext(AdvisedNames, ABC):
        """Valid only during the call it is given to. All times are in ms since 1970-01-01T00:00:00Z."""

        _remedies: ClassVar[dict[str, str]] = CONTEXT_REMEDIES

        @abstractmethod
        def timestamp(self) -> int:
            """Return the timestamp of the record or the firing timer, -9223372036854775808 without one."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Return the time of the machine's clock."""

        @abstractmethod
        def current_watermark(self) -> int:
            """Return the current watermark of event time."""

    class Context(BaseContext):
        """The context of a broadcast record."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
            """Return the broadcast state of a descriptor that was given to `broadcast`, to read and write."""

    class ReadOnlyContext(BaseContext):
        """The context of a record of the other stream."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState[Any, Any]:
            """Return the broadcast state of a descriptor that was given to `broadcast`, to read."""


class BroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[IN1, IN2, OUT]):
    """Makes any number of records of each record of a stream, with the state that a broadcast stream makes.

    A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """The context of a broadcast record."""

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """The context of a record of the other stream."""

    @abstractmethod
    def process_element(self, value: IN1, ctx: BroadcastProcessFunction.ReadOnlyContext) -> Iterable[OUT] | None:
        """Return or yield the records for a record of the stream that is not broadcast."""

    @abstractmethod
    def process_broadcast_element(self, value: IN2, ctx: BroadcastProcessFunction.Context) -> Iterable[OUT] | None:
        """Return or yield the records for a broadcast record, and change the broadcast state.

        Every subtask gets every broadcast record and keeps a state of its own: the changes must not depend on the
        subtask or on the order in which different upstream subtasks send.
        """
