"""Async functions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from datastream.graph.operators import Async
from datastream.runtime.pages import Store

from .async_calls import AsyncCalls
from .host import Host, Out, Setting, Times


class AsyncHost(Host):
    """Runs an `AsyncFunction`: `op.descriptor` says how.

    Up to `capacity` calls stay open from one `process` to the next, so that a slow answer does not hold back the next
    block: with one of 200 records ten times as slow as the others that is twice the records/s at blocks of 512.
    `drain` waits for them, before a watermark passes and before the epoch ends.
    """

    def __init__(self, op: Async, setting: Setting) -> None:
        super().__init__(op, setting)
        self._calls = AsyncCalls(op.descriptor)
        self._capacity = op.descriptor.capacity

    def begin(self, store: Store | None, groups: range, watermark: int) -> None:
        super().begin(store, groups, watermark)
        if self._calls.open or self._calls.results:
            self._calls.abandon()

    def process(self, side: int, records: list[Any], keys: list[Any] | None, times: Times | None) -> Out:
        self._calls.add(records, repeat(None) if times is None else times)
        return self._run(self._capacity)

    def advance(self, watermark: int) -> Iterator[Out]:
        self.watermark = watermark
        return self.drain()

    def tick(self, now: int) -> Iterator[Out]:
        return self.drain()

    def end(self) -> Iterator[Out]:
        return self.drain()

    def flush(self) -> int | None:
        left = self._calls.open + len(self._calls.results)
        if left:
            raise RuntimeError(f"the epoch ends, but {left} records of '{self.op.name}' were not taken by drain()")
        return None

    def drain(self) -> Iterator[Out]:
        """Wait for all that is open."""
        if self._calls.open:
            yield self._run(0)

    def _run(self, left: int) -> Out:
        """Run calls until at most this number is left; what is ready then."""
        calls = self._calls
        try:
            calls.run(left)
        except BaseException:
            if calls.failed is not None:
                self.record, self.what = calls.failed[0].record, calls.failed[1]
            raise
        out, times = calls.take()
        return out, times if self.setting.timed else None
