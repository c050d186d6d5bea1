"""Where event time begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.time import WatermarkStrategy

from .operator import Operator


@dataclass(frozen=True)
class Timestamps(Operator):
    """Assigns records their timestamps, and makes watermarks of them.

    Attributes:
        strategy: How.
    """

    kind: ClassVar[str] = "timestamps"
    hosted: ClassVar[bool] = True
    reads_time: ClassVar[bool] = True
    assigns_time: ClassVar[bool] = True

    strategy: WatermarkStrategy

    @property
    def user_code(self) -> Any:
        return self.strategy
