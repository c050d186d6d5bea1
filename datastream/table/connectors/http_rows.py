"""Records of HTTP as rows, and the rows of keys that a server is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any
from urllib.parse import quote

from datastream.connectors.http import HttpConnection
from datastream.connectors.lookup import LookupCache
from datastream.errors import FormatError, cut
from datastream.formats import DeserializationSchema
from datastream.formats.schema import Position
from datastream.io import Backoff
from datastream.table.types.logical_types import DataType

from .formats.csv_writing import text_of
from .formats.format import Decoder
from .lookup import TableLookup
from .messages import MessageRows

#: Lookups of a task that wait for the server at once.
_REQUESTS = 32
#: Statuses of a key without rows.
_NONE = (204, 404, 410)
#: Values that would lead to another path.
_NO_PATH = ("", ".", "..")


class TableRecords(MessageRows[bytes], DeserializationSchema):
    """Reads records as tuples."""

    values = {}

    @staticmethod
    def named(message: bytes, origin: str) -> str:
        return f"a record of {origin}"

    @staticmethod
    def data(message: Any) -> bytes:
        content: bytes = message
        return content

    def deserialize(self, data: bytes) -> Any:
        return self.row_of(data)

    def deserialize_block(self, messages: Sequence[bytes | None], position: Position | None = None) -> list[Any]:
        given = [message for message in messages if message is not None]
        origin = position(0)[0] if position is not None and given else None
        return [row for row in self.rows_of(given, origin or "a URL") if row is not None]


class UrlOfKey:
    """Makes the URL of a key: ``{column}`` in the URL, else parameters of the query.

    Args:
        url: The URL.
        columns: Name and type of each part of a key.
    """

    def __init__(self, url: str, columns: Sequence[tuple[str, DataType]]) -> None:
        self._url, self._columns = url, tuple(columns)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_texts"}

    @cached_property
    def _texts(self) -> list[Callable[[Any], str]]:
        return [text_of(kind) for _, kind in self._columns]

    def __call__(self, key: Sequence[Any]) -> str | None:
        """The URL of a key; None: there is none, as a value cannot be in a path."""
        url, parameters = self._url, []
        for (name, _), text, value in zip(self._columns, self._texts, key, strict=True):
            quoted = quote(text(value), safe="")
            if f"{{{name}}}" not in self._url:
                parameters.append(f"{quote(name, safe='')}={quoted}")
            elif quoted in _NO_PATH:
                return None
            else:
                url = url.replace(f"{{{name}}}", quoted)
        if not parameters:
            return url
        return f"{url}{'&' if '?' in url else '?'}{'&'.join(parameters)}"


class HttpTableLookup(TableLookup):
    """The rows of keys.

    Args:
        connection: How the server is reached.
        url: Makes the URL of a key.
        records: Where records are in the body; None: the body is an array of them, or one.
        decoder: Reads them.
        cache: What tasks keep.
        backoff: Tries of a request, and pauses between them.
    """

    def __init__(
        self,
        connection: HttpConnection,
        url: UrlOfKey,
        records: str | None,
        decoder: Decoder,
        cache: LookupCache,
        backoff: Backoff,
    ) -> None:
        self._connection, self._url, self._records, self._decoder = connection, url, records, decoder
        self.cache, self._backoff = cache, backoff
        self._client: Any = None
        self._pool: ThreadPoolExecutor | None = None

    def open(self) -> None:
        from datastream.connectors.http.client import HttpClient  # it takes its time to import

        self._client = HttpClient(self._connection)
        self._pool = ThreadPoolExecutor(_REQUESTS, "http lookup")

    def close(self) -> None:
        pool, client, self._pool, self._client = self._pool, self._client, None, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        if client is not None:
            client.close()

    async def fetch(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        url = self._url(key)
        if url is None:
            return []
        pauses = self._backoff.pauses_s()
        while True:
            try:
                contents = await asyncio.get_running_loop().run_in_executor(self._pool, self._get, url)
                break
            except ConnectionError:
                pause = next(pauses, None)
                if pause is None:
                    raise
                await asyncio.sleep(pause)
        rows = (self._row(content) for content in contents)
        return [row for row in rows if row is not None]

    def _get(self, url: str) -> list[bytes]:
        from datastream.connectors.http.polling import records_of

        answer = self._client.get(url, {"Accept": "application/json"}, _NONE)
        return [] if answer.status in _NONE else records_of(answer, self._records)

    def _row(self, content: bytes) -> Any:
        try:
            return self._decoder.deserialize(content)
        except FormatError as error:
            if self._decoder.drops_errors:
                return None
            raise FormatError(f"a record of {self._connection}: {error}; its content: {cut(content)}") from None
