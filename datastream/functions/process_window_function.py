"""Functions of the records of a window that see the time and keep state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from datastream.functions.contexts import CONTEXT_REMEDIES
from datastream.functions.function import Function
from datastream.missing_names import AdvisedNames

if TYPE_CHECKING:
    from datastream.state import KeyedStateStore

IN = TypeVar("IN")
OUT = TypeVar("OUT")
KEY = TypeVar("KEY")
W = TypeVar("W")
W2 = TypeVar("W2")


class ProcessWindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Makes any number of records of a key's window each time that it fires.

    They have the timestamp of the window's end less 1 ms. A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(AdvisedNames, ABC, Generic[W2]):
        """What is known about the window. Valid only during the call it is given to."""

        _remedies: ClassVar[dict[str, str]] = CONTEXT_REMEDIES

        @abstractmethod
        def window(self) -> W2:
            """Return the window."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Return the time of the machine's clock in ms since 1970-01-01T00:00:00Z."""

        @abstractmethod
        def current_watermark(self) -> int:
            """Return the watermark in ms."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """Return the states of this key and window; clear them in `clear`. Windows that merge must not use it."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """Return the states of this key, which all its windows share."""

    @abstractmethod
    def process(
        self, key: KEY, context: ProcessWindowFunction.Context[W], elements: Iterable[IN]
    ) -> Iterable[OUT] | None:
        """Return or yield the records of a window's result.

        Args:
            key: The key of the window.
            context: The window, the time and states.
            elements: Its records in the order they came in; with a reduce or aggregate function its one result.
        """

    def clear(self, context: ProcessWindowFunction.Context[W]) -> None:
        """Clear what is in `window_state` when the window goes away for good."""
        return None


class ProcessAllWindowFunction(Function, Generic[IN, OUT, W]):
    """Makes any number of records of a window of a stream without keys, each time that it fires.

    They have the timestamp of the window's end less 1 ms. A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(AdvisedNames, ABC, Generic[W2]):
        """What is known about the window. Valid only during the call it is given to."""

        _remedies: ClassVar[dict[str, str]] = CONTEXT_REMEDIES

        @abstractmethod
        def window(self) -> W2:
            """Return the window."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """Return the states of this window; clear them in `clear`. Windows that merge must not use it."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """Return the states that all windows share."""

    @abstractmethod
    def process(self, context: ProcessAllWindowFunction.Context[W], elements: Iterable[IN]) -> Iterable[OUT] | None:
        """Return or yield the records of a window's result.

        Args:
            context: The window and states.
            elements: Its records in the order they came in; with a reduce or aggregate function its one result.
        """

    def clear(self, context: ProcessAllWindowFunction.Context[W]) -> None:
        """Clear what is in `window_state` when the window goes away for good."""
        return None
