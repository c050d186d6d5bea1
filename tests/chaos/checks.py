"""Whether a job's output is exactly what it should be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tests.chaos.messages import BEGIN_MS, place
from tests.chaos.trial import Trial

WINDOW_MS = 10_000

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


def check(trial: Trial, values: Iterable[bytes]) -> Faults:
    """Compare what was read from the output, each partition in order, with what the input says."""
    faults = Faults()
    lines = _counted(values, faults)
    if trial.job == "window":
        _check_windows(trial, lines, faults)
    else:
        _check_records(trial, lines, faults)
    return faults


def results(trial: Trial) -> int:
    """How many records the output should have."""
    return len(_windows(trial)) if trial.job == "window" else trial.messages


def _windows(trial: Trial) -> Counter[tuple[str, int]]:
    """(Key, start) of each window: the count in it."""
    wanted: Counter[tuple[str, int]] = Counter()
    for number in range(trial.messages):
        time = BEGIN_MS + number
        wanted[place(trial, number)[0], time - time % WINDOW_MS] += 1
    return wanted


def _counted(values: Iterable[bytes], faults: Faults) -> Iterator[list[str]]:
    for value in values:
        faults.records += 1
        yield value.decode().split(",")


def _check_records(trial: Trial, lines: Iterable[list[str]], faults: Faults) -> None:
    """Every message once; a key's counts are 1, 2, 3 ...; what came from one partition stays in order for a key."""
    places = [place(trial, number) for number in range(trial.messages)]
    seen = bytearray(trial.messages)
    counts: Counter[str] = Counter()
    latest: dict[tuple[str, int], int] = {}
    for fields in lines:
        key, number = fields[0], int(fields[-1])
        if not 0 <= number < trial.messages or places[number][0] != key:
            faults.add("made up", ",".join(fields))
            continue
        if seen[number]:
            faults.add("doubled", ",".join(fields))
        seen[number] = 1
        if trial.job == "count":
            counts[key] += 1
            if int(fields[1]) != counts[key]:
                faults.add("wrong counts", f"{','.join(fields)} as number {counts[key]} of its key")
                counts[key] = int(fields[1])
        origin = key, places[number][1]
        if latest.get(origin, -1) > number:
            faults.add("out of order", f"{','.join(fields)} behind message {latest[origin]}")
        latest[origin] = number
    if sum(seen) < trial.messages:
        for number in (n for n, found in enumerate(seen) if not found):
            faults.add("missing", f"{places[number][0]},{number}")


def _check_windows(trial: Trial, lines: Iterable[list[str]], faults: Faults) -> None:
    """Every window of every key once, with the right count."""
    wanted = _windows(trial)
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
