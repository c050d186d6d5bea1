"""The same by the base classes for the simplest cases."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from datastream.io import NumberedSource, TransactionalSink


@dataclass(frozen=True)
class LinesOfFiles(NumberedSource):
    """The lines of files; a record's number is that of its file."""

    files: tuple[str, ...]

    def end(self):
        return len(self.files)

    def read(self, start, end):
        for file in self.files[start:end]:
            yield Path(file).read_text().splitlines()


@dataclass(frozen=True)
class TableSink(TransactionalSink):
    """Rows of a table ``numbers``, beside a table ``markers``."""

    path: str

    def connect(self):
        return sqlite3.connect(self.path, check_same_thread=False)

    def last_epoch(self, connection, name):
        found = connection.execute("select epoch from markers where name = ?", (name,)).fetchone()
        return found and found[0]

    def write(self, connection, records):
        connection.executemany("insert into numbers (value) values (?)", [(record,) for record in records])

    def commit(self, connection, name, epoch):
        connection.execute("insert or replace into markers values (?, ?)", (name, epoch))
        connection.commit()


def table(path: str, values=()) -> str:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("pragma synchronous = off")
        database.execute("create table numbers (id integer primary key, value)")
        database.execute("create table markers (name primary key, epoch)")
        database.executemany("insert into numbers (value) values (?)", [(value,) for value in values])
    return path


def rows(path: str) -> list:
    with closing(sqlite3.connect(path)) as database:
        return [value for (value,) in database.execute("select value from numbers")]
