"""How the time of an epoch hangs on the number of keys in state: a table is filled, then small epochs come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.engine import environment, epoch_times, progress_of
from bench.functions import WIDTH, key
from bench.stateful import Count
from bench.work import temporary_folder
from datastream.api.job_client import handle_of
from datastream.config.settings import settings
from datastream.connectors.discard_sink import DiscardingSink
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import blocks, cut

#: Records of an epoch that fills the table.
_FILL = 250_000


@dataclass(frozen=True)
class Table(Source):
    """Numbers: each of `keys` once, in large epochs, then `epochs` epochs of so many records.

    Args:
        keys: Keys of the table.
        records: Records of a small epoch.
        epochs: Their number.
    """

    keys: int
    records: int
    epochs: int

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return Enumerator(self)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return Reader()


class Enumerator(SplitEnumerator):
    """Large epochs, then small ones."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._end = table.keys + table.records * table.epochs

    def initial_offset(self) -> int:
        return 0

    def latest_offset(self, start: int, budget: int) -> int:
        keys = self._table.keys
        return min(start + _FILL, keys) if start < keys else min(start + self._table.records, self._end)

    def splits(self, start: int, end: int, parallelism: int) -> list[tuple[int, int]]:
        return cut(start, end, parallelism)

    def finished(self, offset: int) -> bool:
        return offset >= self._end


class Reader(SourceReader):
    """Gives numbers."""

    def read(self, split: tuple[int, int]) -> Iterator[Batch]:
        for low, high in blocks(*split):
            yield Batch(list(range(low, high)))


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
        return epoch_times(progress_of(handle_of(client)), fills + warm_up)
