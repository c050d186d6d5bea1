"""Late rows are counted, and dropped."""

from __future__ import annotations

from datastream.graph.operators import Operator
from datastream.runtime.hosts.host import Host, Setting
from datastream.runtime.pages import Store


class LateRows(Host):
    """A host that drops late rows.

    Attributes:
        late_dropped: How many late rows were dropped in this epoch.
        late_by: How far the latest of them was behind the watermark, in ms.
    """

    def __init__(self, op: Operator, setting: Setting) -> None:
        super().__init__(op, setting)
        self.late_dropped = self.late_by = 0

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self.late_dropped = self.late_by = 0

    def note_late(self, stamp: int) -> None:
        """Count a row that is dropped; it was to come before a watermark, in ms."""
        self.late_dropped += 1
        self.late_by = max(self.late_by, self.watermark - stamp)
