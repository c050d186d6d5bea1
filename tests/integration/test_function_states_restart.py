"""State of map, filter and reduce functions, and of keys known by their pickles, survives a restart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from datastream import Configuration, MapFunction, ReduceFunction, StreamExecutionEnvironment, Types
from datastream.errors import DataStreamError
from datastream.state import ValueStateDescriptor

COUNT, HALF = 3000, 2000
FULL = "the first half of the input has been read"


class Until(MapFunction):
    """Raises at a number."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit

    def map(self, value: int) -> int:
        if self.limit is not None and value >= self.limit:
            raise RuntimeError(FULL)
        return value


class Numbered(MapFunction):
    """Each record with its number among those of its key."""

    def open(self, runtime_context: Any) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.INT()))

    def map(self, value: int) -> tuple[str, int, int]:
        self.seen.update((self.seen.value() or 0) + 1)
        return "map", value, self.seen.value()


class Summing(ReduceFunction):
    """A sum, and how often it was added to."""

    def open(self, runtime_context: Any) -> None:
        self.added = runtime_context.get_state(ValueStateDescriptor("added", Types.INT()))

    def reduce(self, value1: Any, value2: Any) -> Any:
        self.added.update((self.added.value() or 0) + 1)
        return value1[0], value1[1] + value2[1], self.added.value()


def results(checkpoint: Path, limit: int | None) -> list[Any]:
    configuration = Configuration()
    configuration.set_string("datastream.epoch.max-records", "500")
    configuration.set_string("execution.checkpointing.dir", str(checkpoint))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    numbers = env.from_sequence(0, COUNT - 1).uid("numbers").map(Until(limit))
    mapped = numbers.key_by(lambda n: n % 7).map(Numbered()).uid("numbered")
    pairs = numbers.map(lambda n: ([n % 3], n)).key_by(lambda pair: pair[0])
    reduced = pairs.reduce(Summing()).uid("summed").map(lambda found: ("reduce", *found))
    found: list[Any] = []
    try:
        with mapped.union(reduced).uid("results").execute_and_collect() as iterator:  # type: ignore[union-attr]
            found.extend(iterator)
    except DataStreamError as error:
        if FULL not in str(error):
            raise
    return found


@pytest.mark.long
def test_states_of_functions_survive_a_restart(tmp_path: Path) -> None:
    first = results(tmp_path, HALF)
    got = Counter(map(repr, first + results(tmp_path, None)))
    wanted = Counter(repr(("map", n, n // 7 + 1)) for n in range(COUNT))
    for rest in range(3):
        total = 0
        for times, n in enumerate(range(rest, COUNT, 3)):
            total += n
            wanted[repr(("reduce", [rest], total, times) if times else ("reduce", [rest], total))] += 1
    assert 0 < len(first) < sum(wanted.values())
    assert got == wanted
