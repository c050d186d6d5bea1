"""JSON rows of five fields, in one process: ours and orjson's.

The plain sides do what one would write with orjson alone: `orjson.loads` gives a dict whose timestamp is still text;
`orjson.dumps` is given `Row.as_dict()`, or a dict that is there already.
"""

from __future__ import annotations

import ctypes
import random
import string
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import orjson

from datastream.formats.json import (
    JsonDeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    JsonSerializationSchema,
)
from datastream.types import Row, Types

MESSAGES = 20_000
#: Messages that a source hands over together.
BLOCK = 1000
NAMES = ["id", "name", "price", "flag", "at"]
TYPE = Types.ROW_NAMED(
    NAMES, [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()]
)  # fmt: skip


def decode(seconds: float = 2.0) -> dict[str, Any]:
    """Rows of messages, in blocks."""
    return _blocks(JsonRowDeserializationSchema(TYPE).deserialize_block, _messages(), seconds)


def decode_values(seconds: float = 2.0) -> dict[str, Any]:
    """Dicts of messages, without a type."""
    return _blocks(JsonDeserializationSchema().deserialize_block, _messages(), seconds)


def decode_plain(seconds: float = 2.0) -> dict[str, Any]:
    """`orjson.loads` of each message."""
    loads = orjson.loads
    return _blocks(lambda block: [loads(data) for data in block], _messages(), seconds)


def encode(seconds: float = 2.0) -> dict[str, Any]:
    """Messages of rows, in blocks."""
    return _blocks(JsonRowSerializationSchema(TYPE).serialize_block, _rows(), seconds)


def encode_values(seconds: float = 2.0) -> dict[str, Any]:
    """Messages of rows, without a type."""
    return _blocks(JsonSerializationSchema().serialize_block, _rows(), seconds)


def encode_plain(seconds: float = 2.0) -> dict[str, Any]:
    """`orjson.dumps` of each row as a dict."""
    dumps = orjson.dumps
    return _blocks(lambda block: [dumps(row.as_dict()) for row in block], _rows(), seconds)


def encode_plain_dicts(seconds: float = 2.0) -> dict[str, Any]:
    """`orjson.dumps` of each of the dicts that are there already."""
    dumps = orjson.dumps
    return _blocks(lambda block: [dumps(one) for one in block], [row.as_dict() for row in _rows()], seconds)


def keep_memory() -> None:
    """Keep glibc from giving freed memory back and fetching it again at every message.

    Whether it does depends on where the heap happens to end, and can make `orjson.dumps` five times slower.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD


def _rows() -> list[Row]:
    draw = random.Random(7)
    start = datetime(2024, 1, 1)
    return [
        Row(
            id=draw.randrange(1 << 40),
            name="".join(draw.choices(string.ascii_letters, k=12)),
            price=round(draw.uniform(1, 1000), 2),
            flag=draw.random() < 0.5,
            at=start + timedelta(microseconds=draw.randrange(10**14)),
        )
        for _ in range(MESSAGES)
    ]


def _messages() -> list[bytes]:
    return [orjson.dumps(row.as_dict()) for row in _rows()]


def _blocks(work: Callable[[list[Any]], Any], data: list[Any], seconds: float) -> dict[str, Any]:
    """Go over the data again and again, the first time unmeasured."""
    keep_memory()
    blocks = [data[low : low + BLOCK] for low in range(0, len(data), BLOCK)]
    for block in blocks:
        work(block)
    count, took = 0, 0.0
    began = time.perf_counter()
    while took < seconds:
        for block in blocks:
            work(block)
        count += len(data)
        took = time.perf_counter() - began
    return {"value": count / took, "records": count, "seconds": took}
