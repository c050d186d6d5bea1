"""What the cases of the columnar files share: the records, and the clock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from datastream.types import Row, Types

COUNT = 200_000
NAMES = ["id", "name", "price", "flag", "at"]
ROW = Types.ROW_NAMED(NAMES, [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.SQL_TIMESTAMP()])


def dicts() -> list[dict[str, Any]]:
    """The records as dicts."""
    start = datetime(2024, 1, 1)
    values = ((i, f"name-{i % 1000}", i / 7, i % 3 == 0, start + timedelta(microseconds=i * 997)) for i in range(COUNT))
    return [dict(zip(NAMES, found, strict=True)) for found in values]


def rows() -> list[Row]:
    """The records as rows."""
    return [Row(**record) for record in dicts()]


def schema() -> Any:
    """Of the columns, as bare pyarrow needs it."""
    from datastream.types.arrow import to_arrow_schema

    return to_arrow_schema(ROW)


def rate(work: Callable[..., int], *arguments: Any, runs: int = 5) -> dict[str, Any]:
    """Records/s of the best of some runs."""
    best = float("inf")
    for _ in range(runs):
        began = time.perf_counter()
        count = work(*arguments)
        best = min(best, time.perf_counter() - began)
    return {"value": count / best, "records": count, "seconds": best}


def written(factory: Any, records: list[Row], path: str = os.devnull) -> int:
    """Write a file by a writer's contract."""
    with open(path, "wb") as stream:
        writer = factory.create(stream)
        add = writer.add_element
        for record in records:
            add(record)
        writer.finish()
    return len(records)


def read_rows(file_format: Any, path: str) -> int:
    """Read a file by a format's contract."""
    from datastream.connectors.files import FilePart

    size = os.path.getsize(path)
    return sum(map(len, file_format.read(FilePart(path, 0, size, size))))
