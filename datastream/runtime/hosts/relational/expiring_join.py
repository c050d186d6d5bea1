"""Joins of changing tables whose rows are forgotten after a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datastream.graph.operators import TableJoin
from datastream.graph.operators.relational import FOR_GOOD
from datastream.runtime.hosts.host import Out, Times
from datastream.runtime.pages import Store

from .generated_code import DELETE, INSERT, note_record
from .join_base import JoinBase
from .nan_rows import find_same
from .paged_host import PagedHost

#: What a side of a key keeps: row -> [how often it is there, how many partners it has, when that changed last, in ms].
Side = dict[tuple[Any, ...], list[int]]

_NUMBER, _PARTNERS, _TOUCHED = range(3)


class ExpiringJoinHost(JoinBase, PagedHost):
    """As `TableJoinHost`, but knows of each row how many partners it has: some of them may have been forgotten."""

    _op: TableJoin

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        self._stamp = [self.setting.clock()]

    def _loaded(self, keys: set[Any]) -> None:
        values, now = self._state.values, self._stamp[0]
        ttls = self._op.ttls or (self._op.ttl_ms,) * 2
        oldest_of = [now - (ttl or FOR_GOOD) for ttl in ttls]
        for sides in filter(None, map(values.get, keys)):
            for side, oldest in zip(sides, oldest_of, strict=True):
                for row in [row for row, kept in side.items() if kept[_TOUCHED] <= oldest]:
                    del side[row]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
        out: list[Any] = []
        semi = self._op.join in ("semi", "anti")
        run = self._exists if semi else self._join
        give = out.append if self._op.kinds else lambda change: out.append(change[1:])
        changes = self._op.changes[side]
        kind, row = INSERT, ()
        record = None
        try:
            for key, record in zip(keys, records, strict=True):
                if changes:
                    kind, row = record[0], record[1:]
                else:
                    row = record
                if self._is_null(key):
                    if self._outer[side]:
                        give((self._plain(kind), *(row[: self._left] if semi else self._alone(side, row))))
                    continue
                kept = values.get(key)
                if kept is None:
                    kept = values[key] = ({}, {})
                run(side, kind, row, kept, give)
                if not kept[0] and not kept[1]:
                    values[key] = None
        except BaseException as error:
            self.record = record
            note_record(self, error)
            raise
        return self.untimed(out)

    @staticmethod
    def _plain(kind: int) -> int:
        return DELETE if kind & 1 else INSERT

    def _alone(self, side: int, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row without partners."""
        return self._row(self._nothing[0], row) if side else self._row(row, self._nothing[1])

    def _partners(self, side: int, row: tuple[Any, ...], others: Side) -> list[tuple[tuple[Any, ...], list[int], Any]]:
        """Row, what is kept of it, and the joined row, of each partner."""
        matches = self._matches
        found = []
        for other, kept in others.items():
            joined = self._row(other, row) if side else self._row(row, other)
            if matches is None or matches(joined):
                found.append((other, kept, joined))
        return found

    def _keep(self, kind: int, row: tuple[Any, ...], mine: Side, partners: int) -> bool:
        """Note that a row came or went; whether one that goes was there."""
        kept = mine.get(row)
        if not kind & 1:
            if kept is None:
                mine[row] = [1, partners, *self._stamp]
            else:
                kept[_NUMBER] += 1
                kept[_PARTNERS:] = [partners, *self._stamp]
            return True
        if kept is None and (same := find_same(mine, row)) is not None:
            row, kept = same, mine[same]
        if kept is None:
            return False
        kept[_NUMBER] -= 1
        kept[_PARTNERS:] = [partners, *self._stamp]
        if not kept[_NUMBER]:
            del mine[row]
        return True

    def _join(
        self, side: int, kind: int, row: tuple[Any, ...], kept: tuple[Side, Side], give: Callable[[Any], None]
    ) -> None:
        mine, others = kept[side], kept[1 - side]
        outer, other_outer = self._outer[side], self._outer[1 - side]
        partners = self._partners(side, row, others)
        comes = not kind & 1
        if not self._keep(kind, row, mine, sum(each[_NUMBER] for _, each, _ in partners)):
            return
        if not partners:
            if outer:
                give((self._plain(kind), *self._alone(side, row)))
            return
        shown = self._shown[side][kind]
        for other, each, joined in partners:
            before = each[_PARTNERS]
            each[_PARTNERS] += 1 if comes else -1
            if other_outer:
                each[_TOUCHED:] = self._stamp
            for _ in range(each[_NUMBER]):
                if other_outer and comes and not before:
                    give((DELETE, *self._alone(1 - side, other)))
                give((shown, *joined))
                if other_outer and not each[_PARTNERS]:
                    give((INSERT, *self._alone(1 - side, other)))

    def _exists(
        self, side: int, kind: int, row: tuple[Any, ...], kept: tuple[Side, Side], give: Callable[[Any], None]
    ) -> None:
        """Rows of the left side that have partners, or of an anti join those that have none."""
        mine, others = kept[side], kept[1 - side]
        anti = self._op.join == "anti"
        partners = self._partners(side, row, others)
        if not self._keep(kind, row, mine, sum(each[_NUMBER] for _, each, _ in partners)):
            return
        if side == 0:
            if bool(partners) is not anti:
                give((kind, *row[: self._left]))
            return
        for other, each, _ in partners:
            before = each[_PARTNERS]
            each[_PARTNERS] += -1 if kind & 1 else 1
            each[_TOUCHED:] = self._stamp
            if bool(before) is bool(each[_PARTNERS]):
                continue
            shown = INSERT if bool(before) is anti else DELETE
            for _ in range(each[_NUMBER]):
                give((shown, *other[: self._left]))
