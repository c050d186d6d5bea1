"""`RedisLookup`: what a key holds, for each record of a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any

from datastream.connectors.lookup import LookupCache, LookupFunction
from datastream.connectors.server_settings import checked_connection
from datastream.errors import ValidationError, cut
from datastream.functions import RuntimeContext

from .connection import RedisConnection
from .failures import failure

_COMMANDS = {"string": ("GET",), "hash": ("HGETALL",)}
#: Keys of a pipeline.
_MOST = 1000


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
        self._requests = KeyRequests(self._connection, _COMMANDS[self._kind])

    def close(self) -> None:
        self._requests.close()

    async def fetch(self, key: Any) -> list[Any]:
        if not isinstance(key, (str, bytes, int)) or isinstance(key, bool):
            raise ValidationError(f"RedisLookup: a key must be a text, bytes or a whole number, got {cut(key)}")
        text = key if isinstance(key, bytes) else str(key).encode()
        found = await self._requests.ask(self._prefix.encode() + text)
        if not found:
            return [] if found is None or self._kind == "hash" else [found]
        return [{name.decode(): value for name, value in found.items()} if self._kind == "hash" else found]


class KeyRequests:
    """Asks for keys: those that are asked for in one turn of the event loop go in one pipeline.

    Args:
        connection: The server.
        command: The words before each key: ``("GET",)``, or ``("HGET", hash)``, where a key is a field.
    """

    def __init__(self, connection: RedisConnection, command: tuple[str, ...]) -> None:
        self._connection, self._command = connection, command
        self._waiting: list[tuple[bytes, asyncio.Future[Any]]] = []
        self._sending: set[asyncio.Task[None]] = set()
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, key: bytes) -> Any:
        """What a key holds; None or an empty dict: it is not there.

        Raises:
            ConnectionError: The server is away.
            ValidationError: It refuses, or the key holds another kind of value.
        """
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # connections belong to a loop
            self._loop, self._client = loop, self._connection.asynchronous()
            self._waiting = []
        answer: asyncio.Future[Any] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._send)
        self._waiting.append((key, answer))
        return await answer

    def close(self) -> None:
        """Leave the server."""
        client, loop, self._client, self._loop = self._client, self._loop, None, None
        if client is not None and loop is not None and not loop.is_closed() and not loop.is_running():
            loop.run_until_complete(client.aclose())

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for begin in range(0, len(waiting), _MOST):
            task = asyncio.ensure_future(self._get(waiting[begin : begin + _MOST]))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _get(self, some: list[tuple[bytes, asyncio.Future[Any]]]) -> None:
        try:
            pipeline = self._client.pipeline(transaction=False)
            for key, _ in some:
                pipeline.execute_command(*self._command, key)
            answers = await pipeline.execute(raise_on_error=False)
        except Exception as error:
            answers = [error] * len(some)
        for (key, waiter), answer in zip(some, answers, strict=True):
            if waiter.done():
                continue
            if isinstance(answer, Exception):
                what = f"the key {cut(key.decode(errors='replace'))}"
                waiter.set_exception(failure(answer, self._connection, what))
            else:
                waiter.set_result(answer)
