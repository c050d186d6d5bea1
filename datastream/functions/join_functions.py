"""Functions of the records of two streams that share a key and a window."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from datastream.functions.function import Function


class JoinFunction(Function):
    """Makes one record of each pair of records. Flink has it in Java, PyFlink does not."""

    @abstractmethod
    def join(self, first: Any, second: Any) -> Any:
        """Return the record for a record of the first and one of the second stream."""


class FlatJoinFunction(Function):
    """Makes any number of records of each pair of records. Flink has it in Java, PyFlink does not."""

    @abstractmethod
    def join(self, first: Any, second: Any) -> Iterable[Any] | None:
        """Return or yield the records for a record of the first and one of the second stream."""


class CoGroupFunction(Function):
    """Makes any number of records of all records of a key and window. Flink has it in Java, PyFlink does not.

    A yielded `(OutputTag, value)` goes to that side output.
    """

    @abstractmethod
    def co_group(self, first: Iterable[Any], second: Iterable[Any]) -> Iterable[Any] | None:
        """Return or yield the records of a window's result.

        Args:
            first: The window's records of the first stream, in the order they came in; may have none.
            second: Those of the second stream; may have none, but not both.
        """
