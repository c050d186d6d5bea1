"""`RedisLookup`: what a key holds, for each record of a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from datastream.connectors.lookup import LookupCache, LookupFunction
from datastream.connectors.server_settings import checked_connection
from datastream.errors import ValidationError, cut
from datastream.functions import RuntimeContext

from .connection import RedisConnection
from .failures import failure

_COMMANDS = {"string": ("GET",), "hash": ("HGETALL",)}
#: Keys of a pipeline.
MOST_KEYS = 1000


class RedisLookup(LookupFunction):
    """Joins each record with what a key holds, as the only row: a string's bytes, or a hash as ``{field: bytes}``.

    A key that is not there, and an empty hash, has no rows. Keys that are asked for at once go in one pipeline.

    Args:
        connection: The server, or its URL.
        key: The key of a record: a text or bytes. None: it has no rows.
        join: As of `LookupFunction`.
        left: As of `LookupFunction`.
        cache: As of `LookupFunction`.
        kind: What keys hold: ``string`` or ``hash``.
        prefix: What all keys begin with, before what `key` returns.

    Raises:
        ValidationError: A value is wrong.
    """

    most_keys = MOST_KEYS

    def __init__(
        self,
        connection: RedisConnection | str,
        key: Callable[[Any], Hashable],
        join: Callable[[Any, list[Any]], list[Any]] | None = None,
        left: bool = False,
        cache: LookupCache | None = None,
        kind: str = "hash",
        prefix: str = "",
    ) -> None:
        super().__init__(key, join, left, cache)
        if kind not in _COMMANDS:
            raise ValidationError(f"RedisLookup: kind must be 'string' or 'hash', got {cut(kind)}")
        self._connection = checked_connection(RedisConnection, connection, "RedisLookup")
        self._kind, self._prefix = kind, prefix

    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self._asked_for = KeyRequests(self._connection, _COMMANDS[self._kind])

    def close(self) -> None:
        self._asked_for.close()

    async def fetch(self, key: Any) -> list[Any]:
        (rows,) = await self.fetch_many([key])
        return rows

    async def fetch_many(self, keys: list[Any]) -> list[list[Any]]:
        prefix = self._prefix.encode()
        return [self._rows_of(found) for found in await self._asked_for.ask([prefix + _bytes(key) for key in keys])]

    def _rows_of(self, found: Any) -> list[Any]:
        if not found:
            return [] if found is None or self._kind == "hash" else [found]
        return [{name.decode(): value for name, value in found.items()} if self._kind == "hash" else found]


def _bytes(key: Any) -> bytes:
    if not isinstance(key, (str, bytes, int)) or isinstance(key, bool):
        raise ValidationError(f"RedisLookup: a key must be a text, bytes or a whole number, got {cut(key)}")
    return key if isinstance(key, bytes) else str(key).encode()


class KeyRequests:
    """Asks for keys, some in one pipeline.

    Args:
        connection: The server.
        command: The words before each key: ``("GET",)``, or ``("HGET", hash)``, where a key is a field.
    """

    def __init__(self, connection: RedisConnection, command: tuple[str, ...]) -> None:
        self._connection, self._command = connection, command
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, keys: Sequence[bytes]) -> list[Any]:
        """What each key holds; None or an empty dict: it is not there.

        Raises:
            ConnectionError: The server is away.
            ValidationError: It refuses, or a key holds another kind of value.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # connections belong to a loop
            self._loop, self._client = loop, self._connection.asynchronous()
        pipeline = self._client.pipeline(transaction=False)
        for key in keys:
            pipeline.execute_command(*self._command, key)
        try:
            answers: list[Any] = await pipeline.execute(raise_on_error=False)
        except Exception as error:
            raise failure(error, self._connection, _named(keys[0]) if len(keys) == 1 else f"{len(keys)} keys") from None
        for key, answer in zip(keys, answers, strict=True):
            if isinstance(answer, Exception):
                raise failure(answer, self._connection, _named(key))
        return answers

    def close(self) -> None:
        """Leave the server."""
        client, loop, self._client, self._loop = self._client, self._loop, None, None
        if client is not None and loop is not None and not loop.is_closed() and not loop.is_running():
            loop.run_until_complete(client.aclose())


def _named(key: bytes) -> str:
    return f"the key {cut(key.decode(errors='replace'))}"
