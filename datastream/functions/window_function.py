"""Functions of the records of a window, without more than the window."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from datastream.functions.function import Function

IN = TypeVar("IN")
OUT = TypeVar("OUT")
KEY = TypeVar("KEY")
W = TypeVar("W")


class WindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Makes any number of records of a key's window each time that it fires.

    They have the timestamp of the window's end less 1 ms. A yielded `(OutputTag, value)` goes to that side output.
    """

    @abstractmethod
    def apply(self, key: KEY, window: W, inputs: Iterable[IN]) -> Iterable[OUT] | None:
        """Return or yield the records of a window's result.

        Args:
            key: The key of the window.
            window: The window.
            inputs: Its records in the order they came in; with a reduce or aggregate function its one result.
        """


class AllWindowFunction(Function, Generic[IN, OUT, W]):
    """Makes any number of records of a window of a stream without keys, each time that it fires.

    They have the timestamp of the window's end less 1 ms. A yielded `(OutputTag, value)` goes to that side output.
    """

    @abstractmethod
    def apply(self, window: W, inputs: Iterable[IN]) -> Iterable[OUT] | None:
        """Return or yield the records of a window's result.

        Args:
            window: The window.
            inputs: Its records in the order they came in; with a reduce or aggregate function its one result.
        """
