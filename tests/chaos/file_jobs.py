"""Jobs from files to files: the same input for all, the output compared with that of an undisturbed run."""

from __future__ import annotations

import random
import threading
from collections import Counter
from pathlib import Path

from tests.chaos.kinds import ANYWHERE, JOBS
from tests.chaos.supervisor import Supervisor
from tests.chaos.trial import Trial
from tests.support.processes import visible_lines

#: Scripts of `jobs`.
NAMES = ("keyed", "window", "join", "connect", "iterate", "large", "files")

_FILES = 3
_LINES = 11_000
_KEYS = 60
_EXAMPLES = 5

Output = dict[str, Counter[str]]


class FileJob:
    """One of these jobs.

    Args:
        name: Its script.
        folder: Of the series: input, and the output of the undisturbed run.
    """

    faults = ANYWHERE
    alone = None

    #: 100 bytes count as a record. A split is 64 KiB: each of two tasks has one.
    epoch_records = 1_000

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._input = folder / "input"
        self._undisturbed = folder / f"undisturbed-{name}"
        self._expected: Output | None = None
        self._lock = threading.Lock()

    def script(self, folder: Path) -> list[str]:
        if not self._input.exists():
            _write_input(self._input)
        return [str(JOBS / f"{self.name}.py"), str(self._input), str(folder / "out")]

    def differences(self, folder: Path) -> list[str]:
        found, expected = _output(folder / "out"), self._undisturbed_output()
        return [
            f"{name}: {len(wrong)} lines {what}, such as {'; '.join(list(wrong)[:_EXAMPLES])}"
            for name in sorted(found.keys() | expected.keys())
            for what, wrong in (
                ("missing", expected.get(name, Counter()) - found.get(name, Counter())),
                ("too many", found.get(name, Counter()) - expected.get(name, Counter())),
            )
            if wrong
        ]

    def _undisturbed_output(self) -> Output:
        with self._lock:
            if self._expected is None:
                self._undisturbed.mkdir()
                Supervisor(Trial(self.name, (), 0), self, self._undisturbed).keep()
                self._expected = _output(self._undisturbed / "out")
            return self._expected


def _output(folder: Path) -> Output:
    """Each sink's lines: in any order, since tasks run side by side."""
    return {sink.name: Counter(visible_lines(sink)) for sink in folder.iterdir()}


def _write_input(folder: Path) -> None:
    """Lines of about 80 bytes, ``number,time,key,value,padding``, out of order by less than half a second."""
    chance = random.Random(1)
    folder.mkdir()
    number = 0
    for file in range(_FILES):
        with (folder / f"part-{file}.csv").open("w") as out:
            for _ in range(_LINES):
                time, key, value = number * 10 + chance.randrange(400), chance.randrange(_KEYS), chance.randrange(1000)
                out.write(f"{number},{time},k{key},{value},{'x' * 60}\n")
                number += 1
