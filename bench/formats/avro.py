"""Rows from and to Avro: ours and fastavro, over the same data.

A record is a row of five fields: id, name, price, flag, at. Every function gives records/s: the best of rounds of
blocks of 4,096 records, after one that does not count. fastavro makes dicts with datetimes in UTC.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import fastavro

from datastream.formats.avro import AvroRowDeserializationSchema, AvroRowSerializationSchema
from datastream.types import Row

BLOCK = 4096
NAMES = ["id", "name", "price", "flag", "at"]
TYPES = ["long", "string", "double", "boolean", {"type": "long", "logicalType": "timestamp-micros"}]


def decode(seconds: float = 2, block: bool = True, nullable: bool = False) -> dict[str, Any]:
    """Messages into rows, by block or one by one; `nullable`: every field is a union with null."""
    schema = AvroRowDeserializationSchema(avro_schema_string=_schema(nullable))
    messages = _messages(nullable)
    if block:
        return _rate(lambda: schema.deserialize_block(messages), seconds)
    return _rate(lambda: list(map(schema.deserialize, messages)), seconds)


def encode(seconds: float = 2, block: bool = True, nullable: bool = False) -> dict[str, Any]:
    """Rows into messages, by block or one by one."""
    schema = AvroRowSerializationSchema(avro_schema_string=_schema(nullable))
    rows = [Row(**{**record, "at": record["at"].replace(tzinfo=None)}) for record in _records()]
    if block:
        return _rate(lambda: schema.serialize_block(rows), seconds)
    return _rate(lambda: list(map(schema.serialize, rows)), seconds)


def plain_decode(seconds: float = 2, nullable: bool = False) -> dict[str, Any]:
    """fastavro.schemaless_reader of each message."""
    schema = fastavro.parse_schema(json.loads(_schema(nullable)))
    messages = _messages(nullable)
    read = fastavro.schemaless_reader
    return _rate(lambda: [read(io.BytesIO(message), schema, None) for message in messages], seconds)


def plain_encode(seconds: float = 2, nullable: bool = False) -> dict[str, Any]:
    """fastavro.schemaless_writer of each dict."""
    schema = fastavro.parse_schema(json.loads(_schema(nullable)))
    records = _records()
    return _rate(lambda: [_written(schema, record) for record in records], seconds)


def _written(schema: Any, record: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, record)
    return stream.getvalue()


def _schema(nullable: bool) -> str:
    types = [["null", kind] for kind in TYPES] if nullable else TYPES
    fields = [{"name": name, "type": kind} for name, kind in zip(NAMES, types, strict=True)]
    return json.dumps({"type": "record", "name": "record", "fields": fields})


def _records() -> list[dict[str, Any]]:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    values = ((i, f"name-{i}", i / 7, i % 3 == 0, start + timedelta(microseconds=i * 997_001)) for i in range(BLOCK))
    return [dict(zip(NAMES, found, strict=True)) for found in values]


def _messages(nullable: bool) -> list[bytes]:
    schema = fastavro.parse_schema(json.loads(_schema(nullable)))
    return [_written(schema, record) for record in _records()]


def _rate(work: Callable[[], Any], seconds: float) -> dict[str, Any]:
    work()
    best, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return {"value": BLOCK / best, "records": BLOCK}
