"""Blocks of 4,096 typed rows between stages, against bare pickles of the same rows."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from datastream import Row, Types
from datastream.types.compact import CompactBlocks

_KIND = Types.ROW_NAMED(
    ["id", "name", "price", "flag", "at"],
    [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()],
)
_AT = datetime(2026, 1, 1)
_ROWS = [
    Row(id=i * 7919, name=f"name{i % 500}", price=i * 0.25, flag=i % 3 == 0, at=_AT + timedelta(seconds=i))
    for i in range(4096)
]


def write() -> dict[str, Any]:
    blocks = CompactBlocks(_KIND)
    return _rate(lambda: blocks.dumps(_ROWS))


def write_bare() -> dict[str, Any]:
    return _rate(lambda: pickle.dumps(_ROWS, 5))


def read() -> dict[str, Any]:
    blocks = CompactBlocks(_KIND)
    data = blocks.dumps(_ROWS)
    return _rate(lambda: blocks.loads(data))


def read_bare() -> dict[str, Any]:
    data = pickle.dumps(_ROWS, 5)
    return _rate(lambda: pickle.loads(data))


def _rate(work: Callable[[], Any], seconds: float = 2.0) -> dict[str, Any]:
    work()
    start, times = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        work()
        times += 1
    return {"value": times * len(_ROWS) / (time.perf_counter() - start)}
