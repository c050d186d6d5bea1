"""What a window operator does, as the API hands it to whatever runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from datastream.errors import ValidationError, cut
from datastream.types import TypeSerializer
from datastream.windows.evictors.evictor import Evictor
from datastream.windows.trigger import Trigger
from datastream.windows.window_assigner import MergingWindowAssigner, WindowAssigner

if TYPE_CHECKING:
    from datastream.functions import OutputTag, RuntimeContext


@dataclass(frozen=True)
class WindowOperation:
    """A window operator: which windows there are, when they fire, what they give.

    It opens and closes the functions inside it, so an operator has it as its function and as its instance.

    Attributes:
        assigner: Says which windows a record belongs to.
        trigger: Says when windows fire; None: the assigner's default.
        evictor: Removes records when a window fires; None: all stay.
        allowed_lateness: How long, in ms of event time, a window stays after it has ended.
        late_tag: The side output of late records; None: they are dropped and counted.
        incremental: A `ReduceFunction`, a function of two values or an `AggregateFunction`; None: windows keep records.
        function: What is called with a window that fires: an object with `apply` or `process`; None: a window emits
            what `incremental` made of it, or else its records.
        keyed: `function` is called with the key; False for the functions of `AllWindowedStream`.
        runtime_context: What `open` was called with.

    Raises:
        ValidationError: The parts do not fit together.
    """

    assigner: WindowAssigner[Any, Any]
    trigger: Trigger[Any, Any] | None = None
    evictor: Evictor[Any, Any] | None = None
    allowed_lateness: int = 0
    late_tag: OutputTag | None = None
    incremental: Any = None
    function: Any = None
    keyed: bool = True
    runtime_context: RuntimeContext | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _require(self.assigner, WindowAssigner, "window", "such as TumblingEventTimeWindows.of(Time.minutes(1))")
        serializer = self.assigner.get_window_serializer()
        if not isinstance(serializer, TypeSerializer):
            raise ValidationError(
                f"{type(self.assigner).__name__}.get_window_serializer() must return what writes its windows to state, "
                f"such as TimeWindowSerializer(): got {cut(serializer)}."
            )
        if self.trigger is not None:
            _require(self.trigger, Trigger, "trigger", "such as CountTrigger.of(100)")
        if self.evictor is not None:
            _require(self.evictor, Evictor, "evictor", "such as CountEvictor.of(100)")
        late = self.allowed_lateness
        if not isinstance(late, int) or isinstance(late, bool) or late < 0:
            raise ValidationError(f"allowed_lateness needs a whole number of ms from 0 up: got {cut(late)}.")
        if self.merging and not self.effective_trigger.can_merge():
            name = type(self.assigner).__name__
            raise ValidationError(
                f"{name} merges windows, which {cut(self.effective_trigger)} cannot; give it a trigger whose "
                f"can_merge() is True, such as {type(self.assigner.get_default_trigger(None)).__name__}."
            )

    @property
    def merging(self) -> bool:
        """Whether windows may become one."""
        return isinstance(self.assigner, MergingWindowAssigner)

    @property
    def effective_trigger(self) -> Trigger[Any, Any]:
        """The trigger, by default the assigner's."""
        return self.assigner.get_default_trigger(None) if self.trigger is None else self.trigger

    def open(self, runtime_context: RuntimeContext) -> None:
        """Open the functions."""
        object.__setattr__(self, "runtime_context", runtime_context)
        for function in (self.incremental, self.function):
            if callable(getattr(function, "open", None)):
                function.open(runtime_context)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"runtime_context": None}  # which belongs to one task

    def close(self) -> None:
        """Close the functions."""
        for function in (self.incremental, self.function):
            if callable(getattr(function, "close", None)):
                function.close()


def _require(value: Any, kind: type, call: str, example: str) -> None:
    if not isinstance(value, kind):
        raise ValidationError(f"{call} needs a {kind.__name__}, {example}: got {cut(value)}.")
