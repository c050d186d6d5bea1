"""How busy the machine is while tests run, and with whose work."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

_EVERY_S = 1.0
_PROC = Path("/proc")
_CORES = os.cpu_count() or 1
_TICKS = os.sysconf("SC_CLK_TCK")
#: Others may take this part of the processors of an idle machine.
_OTHERS = 0.15


class Sample(NamedTuple):
    """The machine, at a moment.

    Attributes:
        time: In s since 1970.
        running: How many processes run, or would if there were a processor for them.
        busy: What all processors have worked, in ticks.
        ours: The part of it by this process and all below it.
    """

    time: float
    running: int
    busy: int
    ours: int


class Load(threading.Thread):
    """Looks at the machine each second, until the process ends."""

    def __init__(self) -> None:
        super().__init__(name="load", daemon=True)
        self.samples: list[Sample] = []
        self._ended = threading.Event()  # which nobody sets: the thread ends with the process

    def run(self) -> None:
        while (_PROC / "stat").exists() and not self._ended.wait(_EVERY_S):
            self.samples.append(_look())

    def slowness(self, start: float, stop: float) -> float:
        """By how much the processors were asked for too much work meanwhile; 1: by nothing."""
        running = [sample.running for sample in self._within(start, stop)]
        return max(1.0, sum(running) / len(running) / _CORES) if running else 1.0

    def is_idle(self, start: float, stop: float) -> bool:
        """Whether nobody else took much of the processors meanwhile; False where it is not known."""
        found = self._within(start, stop)
        if len(found) < 3:
            return False
        for before, after in zip(found, found[1:], strict=False):
            others = (after.busy - before.busy) - max(0, after.ours - before.ours)
            if others > _OTHERS * _CORES * _TICKS * (after.time - before.time):
                return False
        return True

    def _within(self, start: float, stop: float) -> list[Sample]:
        return [sample for sample in self.samples if start - _EVERY_S <= sample.time <= stop + _EVERY_S]


def _look() -> Sample:
    known: dict[str, list[int]] = {}
    for line in (_PROC / "stat").read_text().splitlines():
        name, *numbers = line.split()
        if name in ("cpu", "procs_running"):
            known[name] = [int(number) for number in numbers]
    user, nice, system, _, _, irq, softirq, steal, *_ = known["cpu"]
    return Sample(time.time(), known["procs_running"][0] - 1, user + nice + system + irq + softirq + steal, _ours())


def _ours() -> int:
    """Ticks of this process and all below it, with those of children that have ended."""
    ticks: dict[int, int] = {}
    below: dict[int, list[int]] = defaultdict(list)
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            below[int(fields[1])].append(int(folder.name))
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    found, waiting = 0, [os.getpid()]
    while waiting:
        pid = waiting.pop()
        found += ticks.get(pid, 0)
        waiting += below[pid]
    return found
