"""``scripts/parity --fuzz``: draws programs, runs them on both sides, and shows differences as small programs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from tests.parity.flink import real
from tests.parity.fuzz.accepted import accepted
from tests.parity.fuzz.program import Program
from tests.parity.fuzz.running import Differs, Sides
from tests.parity.fuzz.shrinking import shrunk
from tests.parity.fuzz.streams import Streams
from tests.parity.fuzz.tables import Tables
from tests.parity.runner import ours

#: Programs of one job on Flink.
TOGETHER = 25


def fuzz(count: int, seed: str, first: int = 0, shrink: bool = True) -> int:
    """Exit code: 0 all programs do the same on both sides but for accepted differences, 1 some do not.

    Args:
        count: How many programs.
        seed: What they are drawn from, with their numbers.
        first: The number of the first one.
        shrink: Whether programs that differ are made smaller, which takes a few jobs on Flink for each.
    """
    found = 0
    stay: Counter[str] = Counter()
    begun = time.monotonic()
    with real() as flink, ours() as here:
        sides = Sides(flink, here)
        for batch in _batches([draw(f"{seed}/{i}") for i in range(first, first + count)]):
            differing = list(sides.differing(batch))
            reasons = [accepted(program, diff) for program, diff in differing]
            stay.update(filter(None, reasons))
            for (program, diff), reason in zip(differing, reasons, strict=True):
                if reason is not None:
                    continue
                found += 1
                small, diff = shrunk(program, diff, sides) if shrink else (program, diff)
                print(_shown(small, diff), flush=True)
            names = f"{batch[0].name} to {batch[-1].name}"
            differ = reasons.count(None)
            print(f"{names}: {differ} of {len(batch)} differ, {time.monotonic() - begun:.0f} s", flush=True)
    accepts = stay.total()
    print(f"\n{count} programs: {count - found - accepts} equal, {accepts} accepted, {found} differ")
    for reason, times in stay.most_common():
        print(f"accepted {times} times: {reason}")
    return 1 if found else 0


def draw(name: str) -> Program:
    """The program of a name: ``seed/number``."""
    number = int(name.rpartition("/")[2])
    return Streams(name).program() if number % 3 == 0 else Tables(name).program()


def _batches(programs: list[Program]) -> Iterator[list[Program]]:
    """Those of one mode together, those that run alone by themselves."""
    for batch, alone in ((False, False), (True, False), (False, True), (True, True)):
        chosen = [program for program in programs if (program.batch, program.alone) == (batch, alone)]
        for i in range(0, len(chosen), TOGETHER):
            yield chosen[i : i + TOGETHER]


def _shown(program: Program, diff: Differs) -> str:
    lines = [f"  {line}" for what, part in diff.items() for line in (f"{what}:", *part)]
    return "\n".join([f"=== {program.name} (- Flink, + here)", program.script(), *lines, ""])
