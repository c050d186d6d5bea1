"""The operator of joins by event time with the versions of a table."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

from datastream.graph.slots import VERSIONS
from datastream.graph.state_forms import Slot, StateForm

from .relational import Joining


@dataclass(frozen=True)
class TemporalJoin(Joining):
    """Each row of the left side with the version that its key had on the right side at the row's time.

    Rows are given when the watermark has passed their time, in the order in which they came. A key with NULL in it is
    one like any other.

    Attributes:
        times: Of each side: the index of its event time, in µs.
        changes: Of each side: it has updates, so its rows have their kind in front; so have results where the left side
            has.
        ends: A row -U of the right side ends the version of its time; else it is not looked at, since +U follows.
    """

    kind: ClassVar[str] = "temporal_join"
    reads_watermarks: ClassVar[bool] = True

    _: KW_ONLY
    times: tuple[int, int]
    changes: tuple[bool, bool]
    ends: bool = False

    @property
    def reads_clock(self) -> bool:
        return self.ttl_ms > 0

    @property
    def state_forms(self) -> tuple[StateForm, ...]:
        return (replace(self._contents(Slot(VERSIONS, "(rows and versions)")), timed=False),)
