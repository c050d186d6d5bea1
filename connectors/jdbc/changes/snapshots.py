"""Which transactions a snapshot of PostgreSQL has seen: it is written ``xmin:xmax:those that were under way``."""

from __future__ import annotations

from dataclasses import dataclass

_HALF = 2**31


@dataclass(frozen=True)
class Snapshot:
    """What was visible to a query.

    Attributes:
        xmin: Transactions below had ended.
        xmax: Transactions from here on had not begun.
        under_way: Those between that had not ended.
    """

    xmin: int
    xmax: int
    under_way: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> Snapshot:
        """A snapshot as ``pg_current_snapshot()`` writes it."""
        xmin, xmax, under_way = text.split(":")
        return cls(int(xmin), int(xmax), frozenset(map(int, under_way.split(","))) if under_way else frozenset())

    def saw(self, xid: int) -> bool:
        """Whether it has seen a transaction that was committed at some time.

        Args:
            xid: Its number as the log has it: the lower 32 bits.
        """
        whole = self.xmax & ~0xFFFFFFFF | xid
        if whole - self.xmax > _HALF:
            whole -= 2 * _HALF
        elif self.xmax - whole > _HALF:
            whole += 2 * _HALF
        return whole < self.xmin or (whole < self.xmax and whole not in self.under_way)
