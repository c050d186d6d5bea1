"""`ChangelogMode`."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.types import RowKind


@dataclass(frozen=True)
class ChangelogMode:
    """The kinds of changes that a stream of rows may hold.

    Attributes:
        kinds: Those.
    """

    kinds: frozenset[RowKind]

    @staticmethod
    def insert_only() -> ChangelogMode:
        """Only rows that are inserted."""
        return ChangelogMode(frozenset({RowKind.INSERT}))

    @staticmethod
    def upsert() -> ChangelogMode:
        """Rows by a key: the newest one counts; a deletion may hold the key alone."""
        return ChangelogMode(frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE}))

    @staticmethod
    def all() -> ChangelogMode:
        """Changes of every kind."""
        return ChangelogMode(frozenset(RowKind))

    def __str__(self) -> str:
        return f"[{', '.join(kind.name for kind in RowKind if kind in self.kinds)}]"
