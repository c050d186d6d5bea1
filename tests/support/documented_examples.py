"""Tables of the examples of Flink's documentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from datastream import Configuration
from datastream.table import TableEnvironment

#: Options with which a topic is read to its end.
READ = "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'"


def environment(mode: str = "STREAMING") -> TableEnvironment:
    """An environment whose INSERTs have ended when they return."""
    options = {"execution.runtime-mode": mode, "parallelism.default": "1", "table.dml-sync": "true"}
    return TableEnvironment.create(Configuration.from_dict(options))


def rows_of(env: TableEnvironment, query: str, count: int | None = None) -> list[str]:
    """The rows of a query with their kinds: all, or the first of one that does not end."""
    with followed(env, query) as rows:
        return list(islice(rows, count))


@contextmanager
def followed(env: TableEnvironment, query: str) -> Iterator[Iterator[str]]:
    """The rows of a query one by one, with their kinds."""
    with env.execute_sql(query).collect() as rows:
        yield (f"{row.get_row_kind()!s} {tuple(row)}" for row in rows)
