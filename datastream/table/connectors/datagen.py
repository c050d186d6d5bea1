"""The connector ``datagen``: rows of random values or sequences, with Flink's options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from datastream.connectors.datagen import DataGeneratorSource
from datastream.errors import ValidationError
from datastream.io import Batch, EnumeratorContext, ReaderContext, Source, SourceReader, SplitEnumerator

from .connector import SOURCE_PARALLELISM, Option, Settings, TableConnector, TableInfo, naming, only_source
from .generators import Generator, Place, field_options, generator
from .scanning import scanned

if TYPE_CHECKING:
    from datastream.api.data_stream import DataStream
    from datastream.api.environment import StreamExecutionEnvironment
    from datastream.api.step import DataStreamSink

#: Rows that are made together, from the same seed however an epoch is cut.
_CHUNK = 256


class DatagenConnector(TableConnector):
    """See the module. The table ends after ``number-of-rows`` or the shortest sequence, if there is one.

    DATE and TIME are the present ones; timestamps lie up to ``max-past`` before the present.
    """

    name = "datagen"
    options = (
        Option("rows-per-second", "integer", 10_000, doc="Rows per second over all tasks."),
        Option("number-of-rows", "integer", doc="After this number of rows the table ends. Default: never."),
        SOURCE_PARALLELISM,
    )

    def options_of(self, table: TableInfo) -> tuple[Option, ...]:
        fields = [option for each in table.columns for option in field_options(f"fields.{each.name}", each.type)]
        return (*super().options_of(table), *fields)

    def check(self, table: TableInfo) -> None:
        self._generators(table, self.settings(table))

    def _generators(self, table: TableInfo, settings: Settings) -> dict[str, Generator]:
        with naming(table):
            return {each.name: generator(f"fields.{each.name}", each.type, settings) for each in table.columns}

    def scan(self, env: StreamExecutionEnvironment, table: TableInfo, wanted: Sequence[str]) -> DataStream:
        settings = self.settings(table)
        made = self._generators(table, settings)
        limits = [each.rows for each in made.values() if each.rows is not None]
        if settings["number-of-rows"] is not None:
            limits.append(settings["number-of-rows"])
        with naming(table):
            source = _RowsSource(
                {name: made[name] for name in wanted}, min(limits, default=None), settings["rows-per-second"]
            )
        return scanned(env, source, self, table, wanted, settings["scan.parallelism"])

    def sink(self, stream: DataStream, table: TableInfo, updates: bool, name: str) -> DataStreamSink:
        raise only_source(self.name)


class _RowsSource(Source):
    """Rows by their number; see `DataGeneratorSource` for offsets. A split is ``(first, end, µs since 1970)``."""

    grows = False

    def __init__(self, columns: dict[str, Generator], count: int | None, rate: int) -> None:
        if rate < 1:
            raise ValidationError(f"option 'rows-per-second': expected 1 or more, got {rate}")
        if count is not None and count < 0:
            raise ValidationError(f"option 'number-of-rows': expected 0 or more, got {count}")
        self._columns = columns
        self._numbers = DataGeneratorSource(int, count, rate)
        self.bounded = count is not None

    def create_enumerator(self, context: EnumeratorContext) -> SplitEnumerator:
        return _RowsEnumerator(self._numbers.create_enumerator(context))

    def create_reader(self, context: ReaderContext) -> SourceReader:
        return _RowsReader(self._columns, f"{context.job_id}/{context.uid}")


class _RowsEnumerator(SplitEnumerator):
    """That of the numbers; the time of its offsets goes to the tasks, so that a replayed epoch has the same times."""

    def __init__(self, numbers: SplitEnumerator) -> None:
        self._numbers = numbers

    def initial_offset(self) -> Any:
        return self._numbers.initial_offset()

    def latest_offset(self, start: Any, budget: int) -> Any:
        return self._numbers.latest_offset(start, budget)

    def splits(self, start: Any, end: Any, parallelism: int) -> list[tuple[int, int, int]]:
        micros = int(end["t"] * 1000)
        return [(*numbers, micros) for numbers in self._numbers.splits(start, end, parallelism)]

    def finished(self, offset: Any) -> bool:
        return self._numbers.finished(offset)


class _RowsReader(SourceReader):
    def __init__(self, columns: dict[str, Generator], seed: str) -> None:
        self._columns, self._seed = columns, seed

    def read(self, split: tuple[int, int, int]) -> Iterator[Batch]:
        first, end, now = split
        for low in range(first - first % _CHUNK, end, _CHUNK):
            columns = [
                made.values(Place(Random(f"{self._seed}/{name}/{low}"), low, _CHUNK, now))
                for name, made in self._columns.items()
            ]
            rows = list(zip(*columns, strict=True)) if columns else [()] * _CHUNK
            yield Batch(rows[max(first - low, 0) : end - low])
