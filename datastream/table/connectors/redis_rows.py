"""Rows as entries, values and members of Redis, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from datastream.connectors.lookup import LookupCache
from datastream.connectors.redis import RedisCommand, RedisConnection, RedisDeserializationSchema, RedisEntry
from datastream.connectors.redis.lookup import MOST_KEYS, KeyRequests
from datastream.errors import FormatError, ValidationError, cut
from datastream.formats import SerializationSchema
from datastream.table.types.logical_types import DataType

from .formats.csv_writing import text_of
from .formats.format import Decoder
from .lookup import TableLookup
from .messages import MessageRows

_ADDED = (0, 2)


class _Content(NamedTuple):
    """An entry and the content of its field."""

    entry: RedisEntry
    data: bytes


class TableEntries(MessageRows[_Content], RedisDeserializationSchema):
    """Reads entries as tuples.

    Args:
        content: Reads the content.
        places: As of `MessageRows`.
        field: The field that holds the content.
    """

    values = {
        "id": lambda found: found.entry.id,
        "timestamp": lambda found: found.entry.timestamp * 1000,
        "stream": lambda found: found.entry.stream,
    }

    def __init__(self, content: Decoder, places: Sequence[int | str], field: str) -> None:
        super().__init__(content, places)
        self._field = field.encode()

    @staticmethod
    def named(message: _Content, origin: str) -> str:
        return f"the entry {message.entry.id} of the stream {origin!r}"

    def records_of(self, entries: Sequence[RedisEntry]) -> list[Any]:
        return self.rows_of([self._content_of(entry) for entry in entries], entries[0].stream) if entries else []

    def deserialize(self, entry: RedisEntry) -> Any:
        return self.row_of(self._content_of(entry))

    def _content_of(self, entry: RedisEntry) -> _Content:
        data = entry.fields.get(self._field)
        if data is None:
            raise FormatError(
                f"the entry {entry.id} of the stream {entry.stream!r} has no field {self._field.decode()!r}; the "
                f"option 'field' says which one is read; its fields: {cut(dict(entry.fields))}"
            )
        return _Content(entry, data)


class KeyText:
    """Makes the text of a row's key.

    Args:
        columns: Index and type of the parts.
        delimiter: Between them.
        prefix: Before them.
    """

    def __init__(self, columns: Sequence[tuple[int, DataType]], delimiter: str, prefix: str) -> None:
        self._columns, self._delimiter, self._prefix = tuple(columns), delimiter, prefix

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_texts"}

    @cached_property
    def _texts(self) -> list[tuple[int, Callable[[Any], str]]]:
        return [(column, text_of(kind)) for column, kind in self._columns]

    def __call__(self, row: Sequence[Any]) -> str:
        parts = []
        for column, text in self._texts:
            if row[column] is None:
                raise ValidationError(f"a value of the PRIMARY KEY is NULL, in the row {cut(row)}")
            parts.append(text(row[column]))
        return self._prefix + self._delimiter.join(parts)


class RowCommands:
    """Gives the command of a row.

    Args:
        kind: The option ``data-type``.
        encoder: Writes the content of a row.
        changes: The kind of each row comes first.
        key: The key; empty with ``string``.
        text: Makes the key of a string, or the field of a hash.
        field: Of a stream's entries.
        ttl_ms: How long a string stays.
        max_length: About how many entries a stream keeps.
    """

    def __init__(
        self,
        kind: str,
        encoder: SerializationSchema,
        changes: bool,
        key: str,
        text: KeyText,
        field: str,
        ttl_ms: int | None,
        max_length: int | None,
    ) -> None:
        self._kind, self._encoder, self._changes, self._key = kind, encoder, changes, key
        self._text, self._field, self._ttl_ms, self._max_length = text, field, ttl_ms, max_length

    def __call__(self, record: Sequence[Any]) -> RedisCommand:
        added, row = (record[0] in _ADDED, record[1:]) if self._changes else (True, record)
        if not added:
            return self._removal(row)
        content = self._encoder.serialize(row)
        match self._kind:
            case "string":
                return RedisCommand.set(self._text(row), content, self._ttl_ms)
            case "hash":
                return RedisCommand.hset(self._key, {self._text(row): content})
            case "set":
                return RedisCommand.sadd(self._key, content)
            case "list":
                return RedisCommand.rpush(self._key, content)
            case _:
                return RedisCommand.xadd(self._key, {self._field: content}, self._max_length)

    def _removal(self, row: Sequence[Any]) -> RedisCommand:
        if self._kind == "string":
            return RedisCommand.delete(self._text(row))
        if self._kind == "hash":
            return RedisCommand.hdel(self._key, self._text(row))
        return RedisCommand.srem(self._key, self._encoder.serialize(row))


class RedisTableLookup(TableLookup):
    """The rows of keys.

    Args:
        connection: The server.
        command: The words before a key.
        text: Makes a key of the values that are looked for.
        decoder: Reads the content.
        cache: What tasks keep.
    """

    most_keys = MOST_KEYS

    def __init__(
        self,
        connection: RedisConnection,
        command: tuple[str, ...],
        text: KeyText,
        decoder: Decoder,
        cache: LookupCache,
    ) -> None:
        self._connection, self._command, self._text, self._decoder = connection, command, text, decoder
        self.cache = cache
        self._requests: KeyRequests | None = None

    def open(self) -> None:
        self._requests = KeyRequests(self._connection, self._command)

    def close(self) -> None:
        if self._requests is not None:
            self._requests.close()

    async def fetch(self, key: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        (rows,) = await self.fetch_many([key])
        return rows

    async def fetch_many(self, keys: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
        assert self._requests is not None
        texts = list(map(self._text, keys))
        answers = await self._requests.ask([text.encode() for text in texts])
        return list(map(self._rows_of, texts, answers))

    def _rows_of(self, text: str, found: bytes | None) -> list[tuple[Any, ...]]:
        if found is None:
            return []
        try:
            row = self._decoder.deserialize(found)
        except FormatError as error:
            if self._decoder.drops_errors:
                return []
            raise FormatError(f"the key {text!r}: {error}; its content: {cut(found)}") from None
        return [] if row is None else [row]
