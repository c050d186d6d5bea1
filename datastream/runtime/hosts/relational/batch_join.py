"""Joins of tables that end: the results, at the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from datastream.runtime.hosts.host import CHUNK, Out, Times

from .failing import note_record
from .join_base import JoinBase


class BatchJoinHost(JoinBase):
    """Keeps the rows of both sides of each key, and joins them when both have ended."""

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        values = self._load(keys)
        get = values.get
        for key, row in zip(keys, records, strict=True):
            kept = get(key)
            if kept is None:
                kept = values[key] = ([], [])
            kept[side].append(row)
        return self._out([])

    def end(self) -> Iterator[Out]:
        self._state.flush()
        out: list[Any] = []
        for key, (left, right) in self._state.items(self._groups):
            try:
                self._join(left, [] if self._is_null(key) else right, out)
                if self._outer[1] and self._is_null(key):
                    out += [self._row(self._nothing[0], row) for row in right]
            except BaseException as error:
                note_record(self, error)
                raise
            while len(out) >= CHUNK:
                yield self._out(out[:CHUNK])
                del out[:CHUNK]
        if out:
            yield self._out(out)

    def _join(self, left: list[Any], right: list[Any], out: list[Any]) -> None:
        matches, join = self._matches, self._op.join
        found = [False] * len(right)
        for row in left:
            has = False
            for i, other in enumerate(right):
                joined = self._row(row, other)
                if matches is None or matches(joined):
                    has = found[i] = True
                    if join in ("semi", "anti"):
                        break
                    out.append(joined)
            if join in ("semi", "anti"):
                if has is (join == "semi"):
                    out.append(row[: self._left])
            elif not has and self._outer[0]:
                out.append(self._row(row, self._nothing[1]))
        if self._outer[1]:
            out += [self._row(self._nothing[0], row) for row, has in zip(right, found, strict=True) if not has]
