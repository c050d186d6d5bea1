"""The baselines: plain Python loops over the same functions, in as many processes, all at once.

The clock of each process runs from a common start, after its imports, to its own end; the rates are added.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from bench.functions import WIDTH, add, drop, first, keep, key, last, one, split, spread

_CHUNK = 500_000

#: What one process does: (its number, arguments...) -> (records, seconds).
Loop = Callable[..., tuple[int, float]]


def stateless(filtered: bool, seconds: float) -> dict[str, Any]:
    """map, filter, map, and where `filtered` a filter that drops all."""
    return together(_filtered if filtered else _dropped, seconds)


def keyed(keys: int, seconds: float) -> dict[str, Any]:
    """A running reduce into a dict; each process has its own, nothing is exchanged."""
    return together(_reduce, keys, seconds)


def words(path: str) -> dict[str, Any]:
    """A Counter for each half of a file."""
    return together(_count, path)


def together(loop: Loop, *arguments: Any) -> dict[str, Any]:
    context = get_context("spawn")
    barrier, results = context.Barrier(WIDTH), context.Queue()
    processes = [context.Process(target=_one_of, args=(loop, n, barrier, results, arguments)) for n in range(WIDTH)]
    for process in processes:
        process.start()
    parts = [results.get(timeout=600) for _ in processes]
    for process in processes:
        process.join()
    return {
        "value": sum(count / took for count, took in parts),
        "records": sum(count for count, _ in parts),
        "seconds": max(took for _, took in parts),
    }


def _one_of(loop: Loop, number: int, barrier: Any, results: Any, arguments: tuple[Any, ...]) -> None:
    barrier.wait()
    results.put(loop(number, *arguments))


def chunks(number: int, seconds: float, work: Callable[[int, int], None]) -> tuple[int, float]:
    """Do chunk after chunk, the first one unmeasured."""
    low = number * 100_000_000
    work(low, low + _CHUNK)
    began = time.monotonic()
    count, took = 0, 0.0
    while took < seconds:
        low += _CHUNK
        work(low, low + _CHUNK)
        count += _CHUNK
        took = time.monotonic() - began
    return count, took


def drop_all(low: int, high: int) -> None:
    """map, filter, map over some numbers; nothing is kept."""
    for x in range(low, high):
        y = first(x)
        if keep(y):
            last(y)


def _filtered(number: int, seconds: float) -> tuple[int, float]:
    def work(low: int, high: int) -> None:
        for x in range(low, high):
            y = first(x)
            if keep(y):
                z = last(y)
                if drop(z):
                    raise AssertionError(z)

    return chunks(number, seconds, work)


def _dropped(number: int, seconds: float) -> tuple[int, float]:
    return chunks(number, seconds, drop_all)


def _reduce(number: int, keys: int, seconds: float) -> tuple[int, float]:
    values: dict[int, tuple[int, int]] = {}
    to_key = spread(keys)

    def work(low: int, high: int) -> None:
        for i in range(low, high):
            record = to_key(i)
            k = key(record)
            values[k] = add(values[k], record) if k in values else record

    return chunks(number, seconds, work)


def _count(number: int, path: str) -> tuple[int, float]:
    counts: Counter[str] = Counter()
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        bounds = [0]
        for part in range(1, WIDTH):
            file.seek(size * part // WIDTH)
            file.readline()
            bounds.append(file.tell())
        bounds.append(size)
        began = time.monotonic()
        file.seek(bounds[number])
        left = bounds[number + 1] - bounds[number]
        while left > 0:
            data = file.read(min(1 << 20, left))
            data += b"" if data.endswith(b"\n") else file.readline()
            left -= len(data)
            for line in data.decode().splitlines():
                for word in split(line):
                    record = one(word)
                    counts[record[0]] += record[1]
        took = time.monotonic() - began
    return sum(counts.values()), took
