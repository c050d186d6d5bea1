"""Whether the output of a job from Kafka to Kafka is exactly what it should be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.chaos.messages import BEGIN_MS, MESSAGES, place

_EXAMPLES = 5


@dataclass
class Faults:
    """What is wrong with an output.

    Attributes:
        records: How many were read.
        counts: Kind of fault -> how often.
        examples: Kind of fault -> some.
    """

    records: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: str, example: str) -> None:
        self.counts[kind] += 1
        if len(self.examples[kind]) < _EXAMPLES:
            self.examples[kind].append(example)


def check(job: str, window_ms: int, values: Iterable[bytes]) -> Faults:
    """Compare what was read from the output, each partition in order, with what the input says."""
    faults = Faults()
    lines = _counted(values, faults)
    if job == "window":
        _check_windows(window_ms, lines, faults)
    else:
        _check_records(job, lines, faults)
    return faults


def results(job: str, window_ms: int) -> int:
    """How many records the output should have."""
    return len(_windows(window_ms)) if job == "window" else MESSAGES


def _windows(window_ms: int) -> Counter[tuple[str, int]]:
    """(Key, start) of each window: the count in it."""
    wanted: Counter[tuple[str, int]] = Counter()
    for number in range(MESSAGES):
        time = BEGIN_MS + number
        wanted[place(number)[0], time - time % window_ms] += 1
    return wanted


def _counted(values: Iterable[bytes], faults: Faults) -> Iterator[list[str]]:
    for value in values:
        faults.records += 1
        yield value.decode().split(",")


def _check_records(job: str, lines: Iterable[list[str]], faults: Faults) -> None:
    """Every message once; a key's counts are 1, 2, 3 ...; what came from one partition stays in order for a key."""
    places = [place(number) for number in range(MESSAGES)]
    seen = bytearray(MESSAGES)
    counts: Counter[str] = Counter()
    latest: dict[tuple[str, int], int] = {}
    for fields in lines:
        key, number = fields[0], int(fields[-1])
        if not 0 <= number < MESSAGES or places[number][0] != key:
            faults.add("made up", ",".join(fields))
            continue
        if seen[number]:
            faults.add("doubled", ",".join(fields))
        seen[number] = 1
        if job == "count":
            counts[key] += 1
            if int(fields[1]) != counts[key]:
                faults.add("wrong counts", f"{','.join(fields)} as number {counts[key]} of its key")
                counts[key] = int(fields[1])
        origin = key, places[number][1]
        if latest.get(origin, -1) > number:
            faults.add("out of order", f"{','.join(fields)} behind message {latest[origin]}")
        latest[origin] = number
    if sum(seen) < MESSAGES:
        for number in (n for n, found in enumerate(seen) if not found):
            faults.add("missing", f"{places[number][0]},{number}")


def _check_windows(window_ms: int, lines: Iterable[list[str]], faults: Faults) -> None:
    """Every window of every key once, with the right count."""
    wanted = _windows(window_ms)
    seen: set[tuple[str, int]] = set()
    for fields in lines:
        window = fields[0], int(fields[1])
        if window not in wanted:
            faults.add("made up", ",".join(fields))
        elif window in seen:
            faults.add("doubled", ",".join(fields))
        elif wanted[window] != int(fields[2]):
            faults.add("wrong counts", f"{','.join(fields)}, expected {wanted[window]}")
        seen.add(window)
    for key, start in wanted.keys() - seen:
        faults.add("missing", f"{key},{start},{wanted[key, start]}")
