"""A table with a rising id as a source."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

from datastream.io import Batch, Source, SourceReader, SplitEnumerator
from datastream.io.ranges import cut


@dataclass(frozen=True)
class TableSource(Source):
    path: str

    def create_enumerator(self, context):
        return TableEnumerator(self.path)

    def create_reader(self, context):
        return TableReader(sqlite3.connect(self.path, check_same_thread=False))


@dataclass
class TableEnumerator(SplitEnumerator):
    path: str

    def initial_offset(self):
        return 0

    def latest_offset(self, start, budget):
        return min(self._last(), start + budget)

    def splits(self, start, end, parallelism):
        return cut(start, end, parallelism)

    def finished(self, offset):
        return offset == self._last()

    def _last(self):
        with closing(sqlite3.connect(self.path)) as database:
            return database.execute("select coalesce(max(id), 0) from numbers").fetchone()[0]


@dataclass
class TableReader(SourceReader):
    database: sqlite3.Connection

    def read(self, split):
        rows = self.database.execute("select value from numbers where id > ? and id <= ? order by id", split)
        while some := rows.fetchmany(1000):
            yield Batch([value for (value,) in some])

    def close(self):
        self.database.close()
