"""What the Kafka cases do with records: the same functions in a job, in a bare loop and in a UDF of PySpark."""

from __future__ import annotations

from typing import Any

import orjson

KEYS = 1000
_BYTES = 1024


def record(number: int, **more: Any) -> bytes:
    """A record as JSON, 1 KB."""
    fields = {
        "id": number,
        "user": f"user-{(number * 2654435761 & 0xFFFFFFFF) % KEYS}",
        "kind": "purchase",
        "price": number % 10_000 / 100,
        "items": [{"name": "first", "count": 1}, {"name": "second", "count": number % 7}],
        "flag": number % 3 == 0,
        **more,
        "text": "",
    }
    fields["text"] = "x" * (_BYTES - len(orjson.dumps(fields)))
    return orjson.dumps(fields)


def change(data: bytes) -> bytes:
    """Read the JSON, change a field, write it."""
    fields = orjson.loads(data)
    fields["price"] = fields["price"] * 2
    return orjson.dumps(fields)


def user_of(data: bytes) -> str:
    """Who a record is about."""
    return orjson.loads(data)["user"]  # type: ignore[no-any-return]


def key_of(data: bytes) -> bytes:
    """The key of a record, as bytes."""
    return user_of(data).encode()


def counted(user: str, count: int, **more: Any) -> bytes:
    """A count as JSON."""
    return orjson.dumps({"user": user, "count": count, **more})
