"""The table connector ``ready``: rows that lie in the tasks' memory, so that what reads them is what is measured."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator
from datastream.table.connectors.connector import Option, TableConnector, TableInfo, only_source
from datastream.table.connectors.formats.format import Decoder, Layout
from datastream.table.connectors.formats.registry import find_format
from datastream.table.connectors.options import Settings
from datastream.table.connectors.registry import register_connector
from datastream.table.connectors.scanning import scanned

BLOCK, BLOCKS = 4096, 64
COLUMNS = ("id", "item", "price", "qty", "ts")
#: The same as columns of a statement.
DECLARED = "id BIGINT, item STRING, price DOUBLE, qty INT, ts BIGINT"
_ITEMS = [fruit + kind for fruit in ("apple", "avocado", "banana", "cherry", "almond") for kind in ("", " red", " big")]
_FIRST_MS = 1_700_000_000_000


def register() -> None:
    """Make the connector known to this process."""
    register_connector("ready", f"{__name__}:ReadyConnector")


class ReadyConnector(TableConnector):
    """Rows of `COLUMNS`, of which ``ts`` grows by 1 ms from row to row; ``json``: as messages that are decoded."""

    name = "ready"
    options = (
        Option("keys", "integer", 1000, doc="Number of different ids."),
        Option("rows", "integer", doc="After about so many the table ends. Default: never."),
        Option("json", "boolean", False, doc="Rows are messages."),
    )

    def scan(self, env: Any, table: TableInfo, wanted: Sequence[str]) -> Any:
        settings = self.settings(table)
        source = _Blocks(settings, tuple(wanted), _decoder(table, wanted) if settings["json"] else None)
        return scanned(env, source, self, table, wanted, None)

    def sink(self, stream: Any, table: TableInfo, updates: bool, name: str) -> Any:
        raise only_source(self.name)


def rows_of(count: int, keys: int) -> list[tuple[Any, ...]]:
    """The first rows of a table with all columns, up to `BLOCK` * `BLOCKS`."""
    blocks = _pool(keys, COLUMNS, False)[: -(-count // BLOCK)]
    return [row for block in blocks for row in block][:count]


def _decoder(table: TableInfo, wanted: Sequence[str]) -> Decoder:
    form = find_format("json", str(table))
    return form.decoder(Layout(table.columns, str(table)), wanted, {each.name: each.default for each in form.options})


@cache
def _pool(keys: int, wanted: tuple[str, ...], as_json: bool) -> list[list[Any]]:
    draw = random.Random(1)
    blocks: list[list[Any]] = []
    for n in range(BLOCKS):
        rows = [
            (i * 2654435761 % 2**32 % keys, draw.choice(_ITEMS), draw.random() * 100, draw.randrange(10), _FIRST_MS + i)
            for i in range(n * BLOCK, (n + 1) * BLOCK)
        ]
        if as_json:
            blocks.append([json.dumps({**dict(zip(COLUMNS, r, strict=True)), "note": "-" * 20}).encode() for r in rows])
        else:
            blocks.append([tuple(row[COLUMNS.index(name)] for name in wanted) for row in rows])
    return blocks


class _Blocks(Source):
    """Offsets are numbers of blocks; a split is a range of them."""

    def __init__(self, settings: Settings, wanted: tuple[str, ...], decoder: Decoder | None) -> None:
        self._keys, self._wanted, self._decoder = settings["keys"], wanted, decoder
        self._end = None if settings["rows"] is None else -(-settings["rows"] // BLOCK)
        self.bounded = self._end is not None

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _Enumerator(self._end)

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _Reader(self._keys, self._wanted, self._decoder)


class _Enumerator(SplitEnumerator):
    def __init__(self, end: int | None) -> None:
        self._end = end

    def initial_offset(self) -> Any:
        return 0

    def latest_offset(self, start: Any, budget: int) -> Any:
        end = start + max(budget // BLOCK, 2)
        return end if self._end is None else min(end, self._end)

    def splits(self, start: Any, end: Any, parallelism: int) -> list[Any]:
        cuts = [start + (end - start) * i // parallelism for i in range(parallelism + 1)]
        return [(low, high) for low, high in zip(cuts, cuts[1:], strict=False) if high > low]

    def finished(self, offset: Any) -> bool:
        return self._end is not None and offset >= self._end


class _Reader(SourceReader):
    def __init__(self, keys: int, wanted: tuple[str, ...], decoder: Decoder | None) -> None:
        self._wanted, self._decoder = wanted, decoder
        self._blocks = _pool(keys, wanted if decoder is None else (), decoder is not None)

    def read(self, split: Any) -> Iterator[Batch]:
        for n in range(*split):
            rows = self._blocks[n % BLOCKS]
            if self._decoder is not None:
                rows = self._decoder.deserialize_block(rows)
            elif self._wanted[-1:] == ("ts",) and n >= BLOCKS:
                at = _FIRST_MS + n * BLOCK
                rows = [(*row[:-1], at + i) for i, row in enumerate(rows)]
            yield Batch(rows)
