"""Records for which another system is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.functions import AsyncFunctionDescriptor

from .operator import Operator


@dataclass(frozen=True)
class Async(Operator):
    """Replaces each record by what an async function finds out about it, many at a time.

    Attributes:
        descriptor: The function, its timeout, capacity, retries and order of results.
    """

    kind: ClassVar[str] = "async"
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True

    descriptor: AsyncFunctionDescriptor

    @property
    def user_code(self) -> Any:
        return self.descriptor

    @property
    def rich_function(self) -> Any:
        return self.descriptor.async_function
