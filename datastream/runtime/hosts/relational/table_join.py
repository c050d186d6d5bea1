"""Joins of changing tables: each change of a row gives the changes of what it is joined with."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

from datastream.graph.operators import TableJoin
from datastream.runtime.hosts.host import Out, Setting, Times

from .generated_code import DELETE, INSERT, noting
from .join_base import products_of
from .join_side import Row
from .nan_rows import with_one_nan
from .sided_join import SidedJoin

Give = Callable[[Any], None]


class TableJoinHost(SidedJoin):
    """Keeps the rows of both sides of each key; emits changes as Flink does.

    A row is looked for on the other side only, where its own side need not say whether a partner has others already.
    """

    _op: TableJoin

    def __init__(self, op: TableJoin, setting: Setting) -> None:
        super().__init__(op, setting, op.changes)
        self._exists = op.join in ("semi", "anti")
        self._anti = op.join == "anti"
        # Whether what rows of a side give depends on the others of that side.
        self._asks_mine = op.changes[0] or self._outer[1], op.changes[1] or self._outer[0] or self._exists
        self._is_plain = op.join == "inner" and not op.kinds
        if self._is_plain:
            self._joins = [products_of(op.condition, side, op.name) for side in (0, 1)]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        out: list[Any] = []
        with noting(self):
            if self._is_plain:
                out = self._products(side, *self._known(side, records, keys))
            else:
                self._changes(side, records, keys, out.append)
        return self.untimed(out)

    def _known(self, side: int, records: list[Any], keys: list[Any]) -> tuple[list[Row], list[Any]]:
        """The rows of records whose keys have no NULL in them, and their keys."""
        width = self._op.widths[side]
        if records and len(records[0]) > width:
            records = [record[:width] for record in records]
        if self._op.nulls == 1 and not self._op.equals and None not in keys:
            return records, keys
        known = [(record, key) for record, key in zip(records, keys, strict=True) if not self._is_null(key)]
        return [record for record, _ in known], [key for _, key in known]

    def _products(self, side: int, rows: list[Row], keys: list[Any]) -> list[Row]:
        """Rows that only come, with their partners of an inner join."""
        self._sides[1 - side].load(keys)
        self._sides[side].add(keys, rows)
        out: list[Row] = []
        self._joins[side](keys, rows, self._sides[1 - side].rows.get, out.append)
        return out

    def _changes(self, side: int, records: list[Any], keys: list[Any], append: Give) -> None:
        mine, others = self._sides[side], self._sides[1 - side]
        changes, asks_mine = self._op.changes[side], self._asks_mine[side]
        reals = self._op.reals[side]
        width = self._op.widths[side]
        give = append if self._op.kinds else lambda change: append(change[1:])
        run = self._existence if self._exists else self._joined
        others.load(keys)
        if asks_mine:
            mine.load(keys)
        later: tuple[list[Any], list[Row]] = ([], [])
        kind = INSERT
        for key, r in zip(keys, records, strict=True):
            if changes:
                kind, row = r[0], r[1 : 1 + width]
            else:
                row = r[:width]
            if reals:
                row = with_one_nan(row)
            if self._is_null(key):
                if self._outer[side]:
                    give((_plain(kind), *(row if self._exists else self._alone(side, row))))
                continue
            if kind & 1:
                before = mine.rows.get(key, {}).get(row, 0)
                if before:
                    mine.count(key, row, before - 1)
                    run(side, kind, key, row, give)
                continue
            run(side, kind, key, row, give)
            if changes:
                mine.count(key, row, mine.rows.get(key, {}).get(row, 0) + 1)
            elif asks_mine:
                mine.add([key], [row])
            else:
                later[0].append(key)
                later[1].append(row)
        if later[0]:
            mine.add(*later)

    # -- one change, while the rows of its side are those besides it -------------------------------------

    def _joined(self, side: int, kind: int, key: Any, row: Row, give: Give) -> None:
        outer, other_outer = self._outer[side], self._outer[1 - side]
        partners = self._partners(side, key, row)
        if not partners:
            if outer:
                give((_plain(kind), *self._alone(side, row)))
            return
        shown = self._shown[side][kind]
        for other, number, joined in partners:
            lonely = other_outer and not self._has_partner(1 - side, key, other)
            for _ in range(number):
                if lonely and not kind & 1:
                    give((DELETE, *self._alone(1 - side, other)))
                give((shown, *joined))
                if lonely and kind & 1:
                    give((INSERT, *self._alone(1 - side, other)))

    def _existence(self, side: int, kind: int, key: Any, row: Row, give: Give) -> None:
        """Rows of the left side that have partners, or of an anti join those that have none."""
        if side == 0:
            if self._has_partner(0, key, row) is not self._anti:
                give((kind, *row))
            return
        shown = DELETE if bool(kind & 1) is not self._anti else INSERT
        for other, number, _ in self._partners(1, key, row):
            if not self._has_partner(0, key, other):
                for _ in range(number):
                    give((shown, *other))

    def _entries(self, side: int, key: Any) -> Iterable[tuple[Row, int]]:
        """Rows of a side, and how often they are there."""
        rows = self._sides[side].rows.get(key, ())
        return rows.items() if isinstance(rows, dict) else zip(rows, repeat(1))

    def _partners(self, side: int, key: Any, row: Row) -> list[tuple[Row, int, Row]]:
        """The partners of a row of a side, how often they are there, and the joined rows."""
        matches = self._matches
        found = []
        for other, number in self._entries(1 - side, key):
            joined = other + row if side else row + other
            if matches is None or matches(joined):
                found.append((other, number, joined))
        return found

    def _has_partner(self, side: int, key: Any, row: Row) -> bool:
        """Whether a row of a side has a partner."""
        matches, others = self._matches, self._sides[1 - side].rows.get(key)
        if others is None or matches is None:
            return others is not None
        return any(matches(other + row if side else row + other) for other in others)


def _plain(kind: int) -> int:
    return DELETE if kind & 1 else INSERT
