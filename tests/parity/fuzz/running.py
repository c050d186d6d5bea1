"""Runs programs on Flink, many in one job, and here, each by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.parity.fuzz.program import Program, joined
from tests.parity.outcome import Outcome, differences
from tests.parity.runner import Runner

#: Kinds of changes that add a row, and that take one away.
_CHANGE = re.compile(r"^(\S*> )?(?:\(?)([+-][IUD])(.*)$")


#: The error of a program that was not built, which harms no other one in its job, begins with this.
BUILT = "when built:"
Differs = dict[str, list[str]]


@dataclass(frozen=True)
class Sides:
    """Both sides, each a process.

    Attributes:
        flink: Runs on Flink.
        here: Runs on this project.
    """

    flink: Runner
    here: Runner

    def differing(self, programs: list[Program]) -> Iterator[tuple[Program, Differs]]:
        """Those that do not do the same, as they are by themselves."""
        here = run_joined(programs, self.here)
        failing = [i for i, outcome in enumerate(here) if not (outcome.error or BUILT).startswith(BUILT)]
        passing = [i for i in range(len(programs)) if i not in failing]
        flink = dict(zip(passing, run_joined([programs[i] for i in passing], self.flink), strict=True))
        flink |= zip(failing, run_alone([programs[i] for i in failing], self.flink), strict=True)
        for i, program in enumerate(programs):
            if difference(program, flink[i], here[i]):
                (mine,), (real,) = run_alone([program], self.here), run_alone([program], self.flink)
                if diff := difference(program, real, mine):
                    yield program, diff


def run_alone(programs: list[Program], runner: Runner) -> list[Outcome]:
    """What each does as a script of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        outcomes = []
        for program in programs:
            path.write_text(program.script())
            outcomes.append(runner.run_path(path))
    return outcomes


def run_joined(programs: list[Program], runner: Runner) -> list[Outcome]:
    """What each does, found by few jobs of many programs; those that fail a job run alone at last."""
    if len(programs) <= 1 or any(program.alone for program in programs):
        return run_alone(programs, runner)
    with TemporaryDirectory() as folder:
        path = Path(folder, "programs.py")
        path.write_text(joined(programs))
        whole = runner.run_path(path)
    if whole.error is not None:
        middle = len(programs) // 2
        return run_joined(programs[:middle], runner) + run_joined(programs[middle:], runner)
    return [_part(whole, i) for i in range(len(programs))]


def _part(whole: Outcome, number: int) -> Outcome:
    printed, error = [], None
    for line in whole.printed:
        if line.startswith((f"p{number}> ", f"p{number}-")):
            printed.append("out" + line.removeprefix(f"p{number}"))
        elif line.startswith(f"p{number}! "):
            error = "when built: " + line.split(" ", 1)[1]
    return Outcome(printed, {}, error)


def difference(program: Program, flink: Outcome, here: Outcome) -> Differs:
    """Where two outcomes of a program differ."""
    if flink.error is not None or here.error is not None:
        # What was printed before a failure depends on the time of it.
        if _failure(flink.error) == _failure(here.error):
            return {}
        return {"error": [f"-{flink.error}", f"+{here.error}"]}
    if program.order == "net":
        flink, here = Outcome(_summed(flink.printed)), Outcome(_summed(here.printed))
    return differences(flink, here, program.order != "lines")


def _failure(error: str | None) -> str | None:
    """A function's own error counts to the letter, of others only when they came."""
    if error is None or error.startswith("in a function:"):
        return error
    return "fails"


def _summed(lines: list[str]) -> list[str]:
    """Rows that remain when all changes are applied."""
    counts: Counter[str] = Counter()
    for line in lines:
        found = _CHANGE.match(line)
        if found is None:
            counts[line] += 1
        else:
            counts[f"{found[1] or ''}{found[3]}"] += 1 if found[2] in ("+I", "+U") else -1
    return [line for line, count in sorted(counts.items()) for _ in range(count)] + [
        f"{line} {count} times" for line, count in sorted(counts.items()) if count < 0
    ]
