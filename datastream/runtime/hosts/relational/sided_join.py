"""Joins whose sides are stored apart from each other."""

from __future__ import annotations

from datastream.graph.operators import TableJoin
from datastream.graph.state_forms import stored_uid
from datastream.runtime.appended import AppendedState
from datastream.runtime.hosts.host import Host, Setting
from datastream.runtime.pages import Store

from .join_base import JoinBase
from .join_side import JoinSide


class SidedJoin(JoinBase, Host):
    """Keeps the rows of each side by key.

    Args:
        counted: Of each side, whether rows also go.
    """

    def __init__(self, op: TableJoin, setting: Setting, counted: tuple[bool, bool]) -> None:
        super().__init__(op, setting)
        self._sides = [
            JoinSide(each, setting.max_parallelism, real, op.plain_keys)
            for each, real in zip(counted, op.reals, strict=True)
        ]

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._groups = groups
        for number, side in enumerate(self._sides):
            side.begin(store, stored_uid(self.op.state_uid, TableJoin.SIDES[number]), groups)

    def pages(self) -> list[AppendedState]:
        return [side.logs for side in self._sides]

    def flush(self) -> int | None:
        for side in self._sides:
            side.flush()
        return None
