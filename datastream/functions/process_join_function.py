"""The function of an interval join."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from datastream.functions.contexts import CONTEXT_REMEDIES
from datastream.functions.function import Function
from datastream.missing_names import AdvisedNames


class ProcessJoinFunction(Function):
    """Makes any number of records of each pair of records. Flink has it in Java, PyFlink does not.

    They have the later timestamp of the two. A yielded `(OutputTag, value)` goes to that side output.
    """

    class Context(AdvisedNames, ABC):
        """Valid only during the call it is given to. All times are in ms since 1970-01-01T00:00:00Z."""

        _remedies: ClassVar[dict[str, str]] = CONTEXT_REMEDIES

        @abstractmethod
        def get_left_timestamp(self) -> int:
            """Return the timestamp of the left record."""

        @abstractmethod
        def get_right_timestamp(self) -> int:
            """Return the timestamp of the right record."""

        @abstractmethod
        def get_timestamp(self) -> int:
            """Return the later one of the two, which the results have."""

    @abstractmethod
    def process_element(self, left: Any, right: Any, ctx: ProcessJoinFunction.Context) -> Iterable[Any] | None:
        """Return or yield the records for a left and a right record. Neither may be changed: both may be met again."""
