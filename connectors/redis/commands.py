"""What a sink does for a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from datastream.connectors.server_settings import checked_number
from datastream.errors import ValidationError, cut

Value = bytes | str | int | float
"""What the server stores; texts as UTF-8, numbers as their texts."""


@dataclass(frozen=True)
class RedisCommand:
    """A command that writes to a key. Made by the methods that have the commands' names.

    Attributes:
        key: The key.
        kind: What the key must hold, or be free: ``hash``, ``list``, ``set`` or ``stream``; None: anything.
        words: The command, and one more that sets the key's time to live, if it has any.
    """

    key: str | bytes
    kind: str | None
    words: tuple[tuple[Value, ...], ...]

    @classmethod
    def set(cls, key: str | bytes, value: Value, ttl_ms: int | None = None) -> RedisCommand:
        """SET: the key holds a string.

        Args:
            key: The key.
            value: The string.
            ttl_ms: How long it stays, in ms; None: for good.
        """
        more: tuple[Value, ...] = () if ttl_ms is None else ("PX", _ttl(ttl_ms))
        return cls(_key(key), None, (("SET", key, _value(value, key), *more),))

    @classmethod
    def delete(cls, key: str | bytes) -> RedisCommand:
        """DEL: the key is gone."""
        return cls(_key(key), None, (("DEL", key),))

    @classmethod
    def hset(cls, key: str | bytes, fields: Mapping[str, Value], ttl_ms: int | None = None) -> RedisCommand:
        """HSET: fields of the hash are set; others stay.

        Args:
            key: The key.
            fields: One at least.
            ttl_ms: How long the whole hash stays from now, in ms; None: as it is.
        """
        _some(fields, key, "HSET", "fields")
        pairs = [word for name, value in fields.items() for word in (name, _value(value, key))]
        return cls(_key(key), "hash", (("HSET", key, *pairs), *_expiring(key, ttl_ms)))

    @classmethod
    def hdel(cls, key: str | bytes, *fields: str) -> RedisCommand:
        """HDEL: fields of the hash are gone."""
        _some(fields, key, "HDEL", "fields")
        return cls(_key(key), "hash", (("HDEL", key, *fields),))

    @classmethod
    def rpush(cls, key: str | bytes, *values: Value, ttl_ms: int | None = None) -> RedisCommand:
        """RPUSH: values are added at the end of the list."""
        _some(values, key, "RPUSH", "values")
        words = ("RPUSH", key, *(_value(value, key) for value in values))
        return cls(_key(key), "list", (words, *_expiring(key, ttl_ms)))

    @classmethod
    def lpush(cls, key: str | bytes, *values: Value, ttl_ms: int | None = None) -> RedisCommand:
        """LPUSH: values are added at the head of the list."""
        _some(values, key, "LPUSH", "values")
        words = ("LPUSH", key, *(_value(value, key) for value in values))
        return cls(_key(key), "list", (words, *_expiring(key, ttl_ms)))

    @classmethod
    def sadd(cls, key: str | bytes, *members: Value, ttl_ms: int | None = None) -> RedisCommand:
        """SADD: members are added to the set."""
        _some(members, key, "SADD", "members")
        words = ("SADD", key, *(_value(member, key) for member in members))
        return cls(_key(key), "set", (words, *_expiring(key, ttl_ms)))

    @classmethod
    def srem(cls, key: str | bytes, *members: Value) -> RedisCommand:
        """SREM: members of the set are gone."""
        _some(members, key, "SREM", "members")
        return cls(_key(key), "set", (("SREM", key, *(_value(member, key) for member in members)),))

    @classmethod
    def xadd(cls, key: str | bytes, fields: Mapping[str, Value], max_length: int | None = None) -> RedisCommand:
        """XADD: an entry is added to the stream, with an id of the server's.

        Args:
            key: The key.
            fields: One at least.
            max_length: About how many entries the stream keeps; None: all.
        """
        _some(fields, key, "XADD", "fields")
        limit: tuple[Value, ...] = ()
        if max_length is not None:
            limit = ("MAXLEN", "~", checked_number(max_length, "RedisCommand: max_length", 1))
        pairs = [word for name, value in fields.items() for word in (name, _value(value, key))]
        return cls(_key(key), "stream", (("XADD", key, *limit, "*", *pairs),))


def _key(key: str | bytes) -> str | bytes:
    if not isinstance(key, (str, bytes)) or not key:
        raise ValidationError(f"RedisCommand: a key must be a text or bytes, and not empty, got {cut(key)}")
    return key


def _value(value: Value, key: str | bytes) -> Value:
    if isinstance(value, bool) or not isinstance(value, (bytes, str, int, float)):
        raise ValidationError(
            f"RedisCommand: a value must be text, bytes or a number, got {type(value).__name__} for the "
            f"key {cut(key)}; write it as JSON, say"
        )
    return value


def _some(given: object, key: str | bytes, command: str, what: str) -> None:
    if not given:
        raise ValidationError(f"RedisCommand: {command} of the key {cut(key)} has no {what}")


def _expiring(key: str | bytes, ttl_ms: int | None) -> tuple[tuple[Value, ...], ...]:
    return () if ttl_ms is None else (("PEXPIRE", key, _ttl(ttl_ms)),)


def _ttl(ttl_ms: int) -> int:
    return checked_number(ttl_ms, "RedisCommand: ttl_ms", 1)
