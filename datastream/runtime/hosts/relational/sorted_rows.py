"""Rows of batch mode that are kept until the input ends, and then read key by key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from datastream.graph.operators import KeepingOperator
from datastream.graph.state_forms import stored_uid
from datastream.runtime.appended import FIRST_BUCKET, AppendedState, Frame, by_key
from datastream.runtime.hosts.host import Host, Out, Setting, Times, chunks
from datastream.runtime.key_groups import stable_hash
from datastream.runtime.pages import Store

from .generated_code import noting
from .sort_limit import order_of

Row = tuple[Any, ...]

#: Bytes of rows that are read as a whole, so that keys come in order, as in Flink.
_SMALL = 64 * 1024 * 1024


class SortedRowsHost(Host):
    """Keeps rows in logs, a log for each key group, until the input ends.

    Args:
        op: The operator.
        setting: Of the job.
        place: Where its logs lie.
        order: The order of the rows of a key.
    """

    def __init__(
        self, op: KeepingOperator, setting: Setting, place: str, order: tuple[tuple[int, bool, bool], ...]
    ) -> None:
        super().__init__(op, setting)
        self._place = place
        self._sorted = order_of(order)

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        assert store is not None
        self._logs = AppendedState(store, stored_uid(self.op.state_uid, self._place))
        self._groups = groups

    def pages(self) -> list[AppendedState]:
        return [self._logs]

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        assert keys is not None
        frames: dict[int, Frame] = {}
        for key, record in zip(keys, records, strict=True):
            group = stable_hash(key) % self.setting.max_parallelism
            if group not in frames:
                frames[group] = [], []
            frames[group][0].append(key)
            frames[group][1].append(record)
        for group, frame in frames.items():
            self._logs.add((group, FIRST_BUCKET), frame)
        return self.untimed([])

    def flush(self) -> int | None:
        self._logs.flush()
        return None

    def end(self) -> Iterator[Out]:
        self._logs.flush()
        whole = sum(map(self._logs.size, self._logs.buckets(self._groups))) <= _SMALL
        for groups in [list(self._groups)] if whole else ([group] for group in self._groups):
            logs = self._logs.buckets(groups)
            found = by_key(frame for some in self._logs.read(logs).values() for frame in some)
            keys = list(found)
            with suppress(TypeError):  # keys that have no order
                keys.sort(key=_place_of_key)
            for key in keys:
                with noting(self):
                    out = self.results(self._sorted(found[key]))
                yield from map(self.untimed, chunks([out]))

    def results(self, rows: list[Row]) -> list[Row]:
        """The results of a key's rows, in order."""
        raise NotImplementedError


def _place_of_key(key: Any) -> Any:
    """NULL is before all."""
    parts = key if type(key) is tuple else (key,)
    return tuple((part is not None, 0 if part is None else part) for part in parts)
