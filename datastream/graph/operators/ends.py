"""The ends of a job: sources and sinks of connectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from datastream import io

from .operator import Operator


@dataclass(frozen=True)
class Source(Operator):
    """Reads records from another system.

    Attributes:
        source: The connector's.
    """

    kind: ClassVar[str] = "source"

    source: io.Source
    tested_first: bool = field(default=True, kw_only=True)

    @property
    def user_code(self) -> Any:
        return self.source


@dataclass(frozen=True)
class Sink(Operator):
    """Writes records to another system.

    Attributes:
        sink: The connector's.
        text: A record -> its text for people, where that is not its `str`.
    """

    kind: ClassVar[str] = "sink"

    sink: io.Sink
    text: Callable[[Any], str] | None = field(default=None, kw_only=True)

    @property
    def reads_watermarks(self) -> bool:  # type: ignore[override]
        return self.sink.consumed.watermarks

    @property
    def reads_clock(self) -> bool:
        return self.sink.consumed.clock

    @property
    def user_code(self) -> Any:
        return self.sink
