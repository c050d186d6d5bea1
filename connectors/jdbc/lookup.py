"""`JdbcLookupFunction`: rows of a database for each record of a stream."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.functions import RuntimeContext
from datastream.io import Backoff
from datastream.types.row import row_factory

from ..lookup import LookupCache, LookupFunction
from .dialects import dialect_of
from .fields import fields_of
from .options import JdbcConnectionOptions
from .statement import parse


class JdbcLookupFunction(LookupFunction):
    """Joins each record with the rows that a query returns for its key, by `AsyncDataStream`.

    Args:
        sql: A query with a ``?`` for each part of the key, such as ``SELECT name FROM customers WHERE id = ?``.
        connection_options: The database.
        key: The key of a record: a value, or a tuple of as many as the query has parameters.
        join: See `LookupFunction`.
        left: See `LookupFunction`.
        cache: See `LookupFunction`.
        connections: How many queries of a subtask run at a time, each by a connection of its own.
        max_retries: How often a query is tried again when the database was away.

    Raises:
        ValidationError: The query has no parameter, or there is no driver for the database.
    """

    def __init__(
        self,
        sql: str,
        connection_options: JdbcConnectionOptions,
        key: Callable[[Any], Hashable],
        join: Callable[[Any, list[Any]], list[Any]] | None = None,
        left: bool = False,
        cache: LookupCache | None = None,
        connections: int = 4,
        max_retries: int = 3,
    ) -> None:
        super().__init__(key, join, left, cache)
        if connections < 1 or max_retries < 0:
            raise ValidationError("JdbcLookupFunction: connections must be at least 1, max_retries at least 0")
        self._statement = parse(sql, "JdbcLookupFunction")
        self._options = connection_options
        self._connections, self._max_retries = connections, max_retries
        dialect_of(connection_options).check()

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self._dialect = dialect_of(self._options)
        self._sql = self._statement.of_driver(self._dialect.parameter)
        self._threads = ThreadPoolExecutor(self._connections, "jdbc-lookup")
        self._of_thread = threading.local()
        self._open: list[Any] = []

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        for connection in self._open:
            with suppress(Exception):  # it may be broken
                connection.close()

    async def fetch(self, key: Any) -> list[Any]:
        parameters = fields_of(key)
        if len(parameters) != self._statement.parameters:
            raise ValidationError(
                f"JdbcLookupFunction: the query has {self._statement.parameters} parameters, and the key "
                f"{len(parameters)} parts: {cut(key)}"
            )
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._ask, parameters)

    def _ask(self, parameters: tuple[Any, ...]) -> list[Any]:
        pauses = Backoff(self._max_retries).pauses_s()
        while True:
            try:
                return self._query(parameters)
            except ConnectionError:
                connection, self._of_thread.connection = self._of_thread.connection, None
                if connection is not None:
                    self._open.remove(connection)
                with suppress(Exception):  # it may be broken
                    connection.close()
                pause = next(pauses, None)
                if pause is None:
                    raise
                time.sleep(pause)

    def _query(self, parameters: tuple[Any, ...]) -> list[Any]:
        connection = getattr(self._of_thread, "connection", None)
        if connection is None:
            self._of_thread.connection = None
            connection = self._of_thread.connection = self._dialect.connect()
            self._open.append(connection)
        with self._dialect.away(), closing(connection.cursor()) as cursor:
            try:
                cursor.execute(self._sql, tuple(map(self._dialect.value, parameters)))
                make = row_factory(column[0] for column in cursor.description)
                return [make(list(values)) for values in cursor.fetchall()]
            finally:
                connection.rollback()
