"""`CassandraLookup`: the rows of a key, for each record of a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from datastream.connectors.lookup import LookupCache, LookupFunction
from datastream.errors import ValidationError, cut
from datastream.functions import RuntimeContext
from datastream.types.row import row_factory

from .cluster import Reach, checked_reach
from .column_types import plain
from .connection import Connection
from .selecting import select

_CACHE = LookupCache()


class CassandraLookup(LookupFunction):
    """Joins each record with the rows of a key, as `Row` objects with the columns' names.

    Args:
        cluster: How the cluster is reached.
        query: A ``SELECT`` with a ``?`` for each value of the key.
        key: The key of a record: a tuple of as many values, or the only value. None: it has no rows.
        join: As of `LookupFunction`.
        left: As of `LookupFunction`.
        cache: As of `LookupFunction`.

    Raises:
        ValidationError: The query is no ``SELECT`` with a ``?``.
    """

    def __init__(
        self,
        cluster: Reach,
        query: str,
        key: Callable[[Any], Hashable],
        join: Callable[[Any, list[Any]], list[Any]] | None = None,
        left: bool = False,
        cache: LookupCache = _CACHE,
    ) -> None:
        super().__init__(key, join, left, cache)
        self._cluster = checked_reach("CassandraLookup", cluster)
        if not isinstance(query, str) or not query.lstrip().lower().startswith("select") or "?" not in query:
            raise ValidationError(
                "CassandraLookup: expected a query such as 'SELECT name FROM shop.customers WHERE id = ?', "
                f"got {cut(query)}"
            )
        self._query = query

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self._connection = Connection(self._cluster)
        try:
            self._prepared = self._connection.prepare(self._query)
        except BaseException:
            self._connection.close()
            raise
        self._prepared.is_idempotent = True

    def close(self) -> None:
        self._connection.close()

    async def fetch(self, key: Any) -> list[Any]:
        values = key if isinstance(key, tuple) else (key,)
        if len(values) != len(self._prepared.column_metadata):
            raise ValidationError(
                f"CassandraLookup: the query has {len(self._prepared.column_metadata)} parameters, and a key "
                f"{len(values)} values: {cut(key)}"
            )
        found = await select(self._connection, self._prepared, values)
        if not found:
            return []
        names = [column[2] for column in self._prepared.result_metadata]
        make = row_factory(names)
        return [make(list(map(plain, row))) for row in found]
