"""A function of many rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .operator import Operator


@dataclass(frozen=True)
class BlockCalc(Operator):
    """Gives whole blocks of rows to a function, which makes as many rows of them.

    Attributes:
        function: Called with a list of rows. It has ``open``, ``close`` and ``running``: what of it runs, for errors.
    """

    kind: ClassVar[str] = "block_calc"
    hosted: ClassVar[bool] = True

    function: Any

    @property
    def user_code(self) -> Any:
        return self.function

    @property
    def rich_function(self) -> Any:
        return self.function
