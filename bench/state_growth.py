"""How the time of an epoch hangs on the number of keys in state: a table is filled, then small epochs come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.engine import environment, epoch_times, progress_of
from bench.functions import WIDTH, key
from bench.stateful import Count
from bench.work import temporary_folder
from datastream.config.settings import settings
from datastream.connectors.discard_sink import DiscardingSink
from datastream.connectors.ranges import blocks, cut
from datastream.io import Source

#: Records of an epoch that fills the table.
_FILL = 250_000


class Table(Source):
    """Numbers: each of `keys` once, in large epochs, then `epochs` epochs of so many records.

    Args:
        keys: Keys of the table.
        records: Records of a small epoch.
        epochs: Their number.
    """

    def __init__(self, keys: int, records: int, epochs: int) -> None:
        self._keys, self._records = keys, records
        self._end = keys + records * epochs

    def initial_offset(self) -> int:
        return 0

    def latest_offset(self, start: int, budget: int) -> int:
        return min(start + _FILL, self._keys) if start < self._keys else min(start + self._records, self._end)

    def plan(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut(start, end, parallelism)

    def read(self, split: tuple[int, int]) -> Iterator[list[int]]:
        for low, high in blocks(*split):
            yield list(range(low, high))

    def finished(self, offset: int) -> bool:
        return offset >= self._end


def record(keys: int, records: int, same: bool) -> Callable[[int], tuple[int, int]]:
    """A function: number -> (key, 1).

    Args:
        keys: Keys of the table.
        records: Records of a small epoch.
        same: These have the same keys each time, evenly spread over the table; else any keys.
    """
    apart = keys // records

    def make(i: int) -> tuple[int, int]:
        if i < keys:
            return i, 1
        return (i - keys) % records * apart if same else ((i * 2654435761) & 0xFFFFFFFF) % keys, 1

    return make


def epochs(keys: int, records: int, same: bool, number: int, warm_up: int) -> dict[str, Any]:
    """The time that small epochs take over a table of so many keys, by Spark's own account."""
    env = environment(records)
    env.set_parallelism(WIDTH)
    stream = env.add_source(Table(keys, records, number + warm_up)).map(record(keys, records, same))
    stream.key_by(key).process(Count()).sink_to(DiscardingSink())
    with temporary_folder() as checkpoint:
        settings().checkpoint_dir = checkpoint
        client = env.execute_async("state growth")
        client.get_job_execution_result().result()
        fills = -(-keys // _FILL)
        return epoch_times(progress_of(client._handle), fills + warm_up)
