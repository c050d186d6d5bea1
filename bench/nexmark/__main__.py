"""Nexmark here and in Flink: ``python -m bench.nexmark``."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from bench.machine import facts
from bench.nexmark.changes import Changes
from bench.nexmark.events import events as events_of
from bench.nexmark.events import write
from bench.nexmark.queries import BY_SESSIONS, BY_THE_CLOCK, OVER_CHANGES, QUERIES, REPLACING, bids_too_many
from bench.nexmark.side_input import in_derby, in_sqlite
from bench.results import publish_pairs
from tests.parity.flink import CannotRun, python_of_flink
from tests.support.processes import datastream

JOB = Path(__file__).with_name("job.py")
#: A run may take so many seconds.
LIMIT_S = 1800


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--events", default=20_000, show_default=True, help="How many events.")
@click.option("--query", "wanted", metavar="q1,q5,...", help="Only these.  [default: all]")
@click.option("--mode", type=click.Choice(["streaming", "batch"]), default="streaming", show_default=True)
@click.option("--executor", type=click.Choice(["spark", "local"]), default="spark", show_default=True)
@click.option("--rates", is_flag=True, help="Instead of results, events/s of each side, by ten times the events.")
@click.option("--rounds", type=click.IntRange(min=1), default=1, help="Of --rates; the medians count.  [default: 1]")
@click.option("--publish", is_flag=True, help="Write rates of all queries to bench/results, and tell what changed.")
@click.option("--cost", is_flag=True, help="Processor seconds for a million events here, by ten times the events.")
def main(
    events: int, wanted: str | None, mode: str, executor: str, rates: bool, rounds: int, publish: bool, cost: bool
) -> None:
    """Run Nexmark's queries on the same events here and on Flink, and compare what they give.

    What is compared is what is left when all changes are applied, and which kinds of changes there were. Flink runs q6
    in batch mode alone and q11 in streaming mode alone, so these are compared with what Flink gives in that mode. q12
    has windows of processing time: no bidder may have more bids than there are, and batch mode must refuse it. Exit
    code: 0 all are equal, 1 some are not.
    """
    names = wanted.split(",") if wanted else list(QUERIES)
    if unknown := [name for name in names if name not in QUERIES]:
        raise click.UsageError(f"there is no query {', '.join(unknown)}; there are {', '.join(QUERIES)}")
    if publish and (not rates or wanted):
        raise click.UsageError("--publish needs --rates, of all queries")
    if rates and not wanted:
        names = [name for name in names if name not in (OVER_CHANGES, BY_THE_CLOCK)]  # Flink has no rate, or no result
    ours = list(map(str, datastream("run", "--no-progress", "--executor", executor)))
    if cost:
        with tempfile.TemporaryDirectory() as folder:
            sys.exit(1 if _cost(names, mode, events, Path(folder), ours) else 0)
    try:
        python, variables = python_of_flink()
    except CannotRun as error:
        raise click.ClickException(str(error)) from None
    with tempfile.TemporaryDirectory() as folder:
        sides = _with_side_input(names, Path(folder), ours, variables, python)
        if rates:
            failed, found = _rates(names, mode, events, Path(folder), sides, rounds)
        else:
            failed = _results(names, mode, events, Path(folder), sides)
    if publish and not failed:
        title = (
            f"Nexmark in {mode} mode, events/s here and in Flink 2.3, by {events:,} and {events * 10:,} events of JSON"
        )
        for line in publish_pairs("nexmark", f"{title}; rounds: {rounds}", facts(), found):
            click.echo(f"changed: {line}", err=True)
    sys.exit(1 if failed else 0)


#: A command and its variables.
Side = tuple[list[str], dict[str, str]]


def _with_side_input(
    names: list[str], folder: Path, ours: list[str], variables: dict[str, str], python: str
) -> tuple[Side, Side]:
    """This project and Flink, each with the table of q13 if it is run."""
    if "q13" not in names:
        return (ours, {}), ([python], variables)
    url, jars = in_derby(folder, str(Path(variables["JAVA_HOME"]) / "bin" / "java"))
    flink = {**variables, "SIDE_INPUT": url, "JARS": ",".join(map(str, jars))}
    return (ours, {"SIDE_INPUT": in_sqlite(folder)}), ([python], flink)


def _results(names: list[str], mode: str, count: int, folder: Path, both: tuple[Side, Side]) -> list[str]:
    events = folder / "events.json"
    write(events, count)
    table = Table("query", "rows", "changes", "seconds here", "in Flink", "", title=f"{count:,} events, {mode} mode")
    differing = []
    for name in names:
        modes = (mode, {OVER_CHANGES: "batch", BY_SESSIONS: "streaming"}.get(name, mode))
        here, there = (
            _result([*command, str(JOB), name, str(events), run_mode, "print"], variables, Changes(name == REPLACING))
            for (command, variables), run_mode in zip(both, modes, strict=True)
        )
        if name == BY_THE_CLOCK:
            said = _wrong_counts(here, there, mode, count)
        else:
            said = _difference(here, there, kinds=modes[0] == modes[1])
        differing += [name] if said else []
        changes = " ".join(f"{kind} {number:,}" for kind, number in sorted(here.changes.kinds.items()))
        times = f"{here.seconds:.1f}", f"{there.seconds:.1f}"
        table.add_row(name, f"{here.changes.rows.total():,}", changes, *times, said or "equal")
        click.echo(f"{name}: {said or 'equal'}", err=True)
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    return differing


@dataclass
class _Result:
    """The changes that a run has printed, its time, and why it failed."""

    changes: Changes
    seconds: float
    error: str


def _result(command: list[str], variables: dict[str, str], changes: Changes) -> _Result:
    began = time.monotonic()
    env = {**os.environ, **variables}
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            watch = threading.Timer(LIMIT_S, process.kill)
            watch.start()
            assert process.stdout is not None
            for line in process.stdout:
                changes.read(line)
        watch.cancel()
        errors.seek(0)
        error = f"exit code {process.returncode}: {errors.read().strip()[-1500:]}" if process.returncode else ""
    return _Result(changes, time.monotonic() - began, error)


def _wrong_counts(here: _Result, there: _Result, mode: str, count: int) -> str:
    """What is wrong with the counts of bids in windows of processing time."""
    if mode == "batch":
        return "" if all("rocessing time" in side.error for side in (here, there)) else "is run"
    if here.error or there.error:
        return _difference(here, there)
    bids = Counter(event["bid"]["bidder"] for event in events_of(count) if "bid" in event)
    for changes in (here.changes, there.changes):
        if more := bids_too_many(changes.rows, bids):
            return f"more than there are: {more.most_common(1)}"
        if set(changes.kinds) - {"+I"}:
            return f"changes are {dict(changes.kinds)}"
    return ""


def _difference(here: _Result, there: _Result, kinds: bool = True) -> str:
    if here.error or there.error:
        return f"here {here.error[:300]}" if here.error else f"Flink {there.error[:300]}"
    ours, theirs = here.changes, there.changes
    if ours.rows != theirs.rows:
        more, less = ours.rows - theirs.rows, theirs.rows - ours.rows
        return f"{more.total():,} rows only here {sorted(more)[:1]}, {less.total():,} only in Flink {sorted(less)[:1]}"
    if kinds and set(ours.kinds) - {"-U"} != set(theirs.kinds) - {"-U"}:
        return f"equal, but changes are {dict(ours.kinds)} here and {dict(theirs.kinds)} in Flink"
    return ""


def _rates(
    names: list[str], mode: str, count: int, folder: Path, both: tuple[Side, Side], rounds: int
) -> tuple[list[str], dict[str, tuple[float, float]]]:
    """By the difference of two counts of events, so that starts do not count: what failed, and rates here and there."""
    files = _write_events(folder, count)
    table = Table(
        "query", "events/s here", "in Flink", "ratio", title=f"{count:,} and {count * 10:,} events, {mode} mode"
    )
    failed: list[str] = []
    rates: dict[str, tuple[float, float]] = {}
    for name in names:
        found: tuple[list[float], list[float]] = [], []
        try:
            for _ in range(rounds):
                for side, (command, variables) in zip(found, both, strict=True):
                    few, many = (
                        _seconds([*command, str(JOB), name, str(f), mode, "blackhole"], variables) for f in files
                    )
                    side.append(count * 9 / max(many - few, 0.001))
        except _Failed as error:
            click.echo(f"{name}: {error}", err=True)
            failed.append(name)
            continue
        here, there = rates[name] = statistics.median(found[0]), statistics.median(found[1])
        table.add_row(name, f"{here:,.0f}", f"{there:,.0f}", f"{here / there:.2f}")
        click.echo(f"{name}: {here:,.0f} {there:,.0f} {here / there:.2f}", err=True)
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    return failed, rates


class _Failed(Exception):
    """A run ended with an error."""


def _seconds(command: list[str], variables: dict[str, str]) -> float:
    done = _run(command, variables)
    if done.error:
        raise _Failed(done.error)
    return done.seconds


def _cost(names: list[str], mode: str, count: int, folder: Path, command: list[str]) -> list[str]:
    """What other programs of the machine do counts for little: each is the least of three runs."""
    few, many = _write_events(folder, count)
    variables = {"SIDE_INPUT": in_sqlite(folder)} if "q13" in names else {}
    failed = []
    for name in names:
        seconds = {}
        for path in (few, many):
            runs = [_run([*command, str(JOB), name, str(path), mode, "blackhole"], variables) for _ in range(3)]
            if error := next((run.error for run in runs if run.error), ""):
                click.echo(f"{name}: {error}", err=True)
                failed.append(name)
                break
            seconds[path] = min(run.processor_s for run in runs)
        else:
            click.echo(f"{name}: {(seconds[many] - seconds[few]) * 1_000_000 / (count * 9):.2f} s")
    return failed


def _write_events(folder: Path, count: int) -> tuple[Path, Path]:
    """Two files of events: this number, and ten times as many."""
    few, many = folder / "few.json", folder / "many.json"
    write(few, count)
    write(many, count * 10)
    return few, many


class _Done:
    def __init__(self, done: subprocess.CompletedProcess[str], processor_s: float) -> None:
        #: Of the process and those that it waited for.
        self.processor_s = processor_s
        found = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("seconds ")]
        self.seconds = found[-1] if found else 0.0
        self.error = "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()[-1500:]}"


def _run(command: list[str], variables: dict[str, str]) -> _Done:
    env = {**os.environ, **variables}
    before = _processor_s()
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT_S)
    return _Done(done, _processor_s() - before)


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
