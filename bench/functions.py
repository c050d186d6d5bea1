"""The user functions of the cases: the same objects run in the engine, in the plain loops and in PySpark."""

from __future__ import annotations

from collections.abc import Callable

from datastream import Row

#: Processes of a plain loop, subtasks of a job, cores of a local master.
WIDTH = 2

first = lambda x: x * 2 + 1  # noqa: E731 - a job's functions are lambdas
keep = lambda x: x % 3 != 7  # noqa: E731 - keeps everything
last = lambda x: (x, x & 1023)  # noqa: E731
drop = lambda r: r[1] > 1023  # noqa: E731 - drops everything

split = lambda line: line.split()  # noqa: E731
one = lambda word: (word, 1)  # noqa: E731

key = lambda r: r[0]  # noqa: E731
add = lambda a, b: (a[0], a[1] + b[1])  # noqa: E731


#: Fields of the typed rows.
NAMES = ("id", "name", "price", "flag", "part")
fields = lambda i: (i, "name", i * 0.25, i % 3 == 0, i & 1023)  # noqa: E731
named = lambda i: Row(id=i, name="name", price=i * 0.25, flag=i % 3 == 0, part=i & 1023)  # noqa: E731
same = lambda r: r  # noqa: E731


def spread(keys: int) -> Callable[[int], tuple[int, int]]:
    """A function: number -> (one of `keys` keys, 1); neighbours get keys far apart."""
    return lambda i: (((i * 2654435761) & 0xFFFFFFFF) % keys, 1)
