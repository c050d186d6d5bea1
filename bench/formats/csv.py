"""Rows from and to CSV: ours and the csv module, over the same data.

A record is a row of five fields: id, name, price, flag, at. Every function gives records/s: the best of rounds of
blocks of 4,096 records, after one that does not count.
"""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from datastream.types import Row, Types

BLOCK = 4096
TYPE = Types.ROW_NAMED(
    ["id", "name", "price", "flag", "at"],
    [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()],
)


def decode(seconds: float = 2, block: bool = True, quoted: bool = False) -> dict[str, Any]:
    """Messages into rows, by block or one by one; `quoted`: every name has a comma."""
    schema = CsvRowDeserializationSchema.Builder(TYPE).build()
    messages = _messages(quoted)
    if block:
        return _rate(lambda: schema.deserialize_block(messages), seconds)
    return _rate(lambda: list(map(schema.deserialize, messages)), seconds)


def encode(seconds: float = 2, block: bool = True, quoted: bool = False) -> dict[str, Any]:
    """Rows into messages, by block or one by one."""
    schema = CsvRowSerializationSchema.Builder(TYPE).build()
    rows = [Row(id=i, name=n, price=p, flag=f, at=t) for i, n, p, f, t in _values(quoted)]
    if block:
        return _rate(lambda: schema.serialize_block(rows), seconds)
    return _rate(lambda: list(map(schema.serialize, rows)), seconds)


def plain_decode(
    seconds: float = 2, block: bool = True, convert: bool = True, rows: bool = False, quoted: bool = False
) -> dict[str, Any]:
    """A loop over csv.reader into tuples; a reader for all messages of a block, or one a message.

    Args:
        seconds: How long to measure.
        block: Whether a reader is made for a block.
        convert: Whether the fields are converted, or stay text.
        rows: Whether rows are made, not tuples.
        quoted: Whether every name has a comma.
    """
    messages = _messages(quoted)

    def readers() -> Any:
        if block:
            return csv.reader(map(bytes.decode, messages))
        return (next(csv.reader([message.decode()])) for message in messages)

    parse = datetime.fromisoformat

    def converted() -> list[Any]:
        if rows:
            return [
                Row(id=int(i), name=n, price=float(p), flag=f == "true", at=parse(t)) for i, n, p, f, t in readers()
            ]
        return [(int(i), n, float(p), f == "true", parse(t)) for i, n, p, f, t in readers()]

    return _rate(converted if convert else lambda: list(readers()), seconds)


def plain_encode(seconds: float = 2, block: bool = True, quoted: bool = False) -> dict[str, Any]:
    """A loop over csv.writer from tuples into messages; a writer for all of a block, or one a message."""
    values = _values(quoted)

    def texts() -> Any:
        return ((i, n, p, "true" if f else "false", t.isoformat()) for i, n, p, f, t in values)

    def by_block() -> list[bytes]:
        lines = _Lines()
        csv.writer(lines, lineterminator="\n").writerows(texts())
        return [line.encode() for line in lines.found]

    def one_by_one() -> list[bytes]:
        found = []
        for fields in texts():
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerow(fields)
            found.append(text.getvalue().encode())
        return found

    return _rate(by_block if block else one_by_one, seconds)


class _Lines:
    def __init__(self) -> None:
        self.found: list[str] = []
        self.write = self.found.append


def _values(quoted: bool) -> list[tuple[Any, ...]]:
    mark = ", " if quoted else " "
    return [
        (i, f"name{mark}{i % 1000}", i * 0.25, i % 2 == 0, datetime(2024, 1, 1 + i % 28, 12, i % 60, 7, i * 10))
        for i in range(BLOCK)
    ]


def _messages(quoted: bool) -> list[bytes]:
    rows = [Row(id=i, name=n, price=p, flag=f, at=t) for i, n, p, f, t in _values(quoted)]
    return CsvRowSerializationSchema.Builder(TYPE).build().serialize_block(rows)


def _rate(work: Callable[[], list[Any]], seconds: float) -> dict[str, Any]:
    work()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.perf_counter()
        count = len(work())
        best = min(best, time.perf_counter() - began)
        assert count == BLOCK, count
    return {"value": BLOCK / best}
