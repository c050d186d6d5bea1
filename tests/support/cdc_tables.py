"""Tables of connectors that read a database and its changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from datastream.table import EnvironmentSettings, TableEnvironment


def declare_goods(columns: str, options: Mapping[str, str]) -> TableEnvironment:
    """An environment with a table ``goods``, which is read to its end unless the options say otherwise."""
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "1")
    made.get_config().set("table.local-time-zone", "UTC")
    given = {"table-name": "goods", "scan.startup.mode": "snapshot", **options}
    with_clause = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    made.execute_sql(f"CREATE TABLE goods ({columns}) WITH ({with_clause})")
    return made


def rows_of(env: TableEnvironment, query: str) -> list[str]:
    """The rows of a query that ends."""
    with followed(env, query) as rows:
        return list(rows)


@contextmanager
def followed(env: TableEnvironment, query: str) -> Iterator[Iterator[str]]:
    """The rows of a query, one by one, with their kinds."""
    with env.execute_sql(query).collect() as rows:
        yield (f"{row.get_row_kind()!s} {tuple(row)}" for row in rows)
