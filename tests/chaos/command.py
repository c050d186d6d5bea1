"""The command line."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import click
from rich.console import Console
from rich.status import Status

from tests.chaos import file_jobs, kafka_jobs
from tests.chaos.disk import can_mount
from tests.chaos.series import Outcome, World, attempt_all, draw
from tests.chaos.table import table
from tests.chaos.trial import FAULTS, Fault, Trial
from tests.support.servers.unavailable import UnavailableError

KINDS = (
    *(*file_jobs.NAMES, file_jobs.ManyKeys.name, file_jobs.SqlJoin.name),
    *(*(f"kafka-{job}" for job in kafka_jobs.NAMES), kafka_jobs.SqlJob.name),
)

_EPILOG = "\b\nThe faults:\n" + "\n".join(f"  {fault:<10} {what}" for fault, what in FAULTS.items())


class _Names(click.ParamType[tuple[str, ...]]):
    """Some of a set of names; with ``+`` between them, several at once."""

    name = "A,B,..."

    def __init__(self, names: tuple[str, ...], joined: bool = False) -> None:
        self._names, self._joined = names, joined

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        found = tuple(part.strip() for part in str(value).split(","))
        for part in found:
            for name in part.split("+") if self._joined else [part]:
                if name not in self._names:
                    self.fail(f"expected some of {','.join(self._names)}, got {name!r}", param, ctx)
        return found


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True}, epilog=_EPILOG)
@click.option("--runs", type=click.IntRange(min=1), default=1, help="How many.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, help="How many of them side by side.")
@click.option("--seed", type=int, help="Of the first run; each has one more than the one before.  [default: a new one]")
@click.option("--kinds", type=_Names(KINDS), default=",".join(KINDS), help="Kinds of jobs.")
@click.option(
    "--faults",
    type=_Names(tuple(FAULTS), joined=True),
    help="What goes wrong: one fault a run, or several as in driver+pause.  [default: each, sometimes two]",
)
@click.option(
    "--pause", type=click.FloatRange(min=0), default=20.0, help="Seconds that a stopped process stands still."
)
@click.option("--table", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the tables to this file.")
@click.option("--keep", is_flag=True, help="Keep the folders of runs that are wrong.")
def main(
    runs: int,
    jobs: int,
    seed: int | None,
    kinds: tuple[str, ...],
    faults: tuple[str, ...] | None,
    pause: float,
    file: Path | None,
    keep: bool,
) -> None:
    """Run jobs of every kind while something goes wrong at a random moment, and compare what they write.

    A job that ended without success is started again, until it has finished. Its output must be that of an undisturbed
    run, and no process may be left. Exit code: 0 it is so in all runs, 1 it is not.
    """
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    wanted: list[tuple[Fault, ...]] = [tuple(part.split("+")) for part in faults or ()]  # type: ignore[misc]
    world = World()
    outcomes: list[Outcome] = []
    try:
        can = [fault for fault in FAULTS if fault != "disk" or can_mount()]
        if len(can) < len(FAULTS):
            click.echo("chaos: no disk is filled: to mount one takes root, or `unshare --map-root-user --mount`")
        trials = draw([world.kinds[name] for name in kinds], wanted, runs, seed, can)
        if not trials:
            sys.exit("chaos: these kinds of jobs have none of these faults")
        outcomes = _one(world, trials[0], pause) if runs == 1 else _many(world, trials, jobs, pause)
    except UnavailableError as error:
        sys.exit(str(error))
    finally:
        kept = keep and any(not outcome.identical for outcome in outcomes)
        world.close(kept)
    if kept:
        click.echo(f"folders of the runs are in {world.folder}")
    if runs > 1:
        click.echo(f"\n{table(outcomes)}")
    if file is not None:
        file.write_text(table(outcomes))
    wrong = [outcome for outcome in outcomes if not outcome.identical]
    for outcome in wrong if runs > 1 else []:
        click.echo(f"wrong: {outcome.trial.command}")
    sys.exit(1 if wrong else 0)


def _one(world: World, trial: Trial, pause_s: float) -> list[Outcome]:
    """Run one trial and say what happens."""
    click.echo(trial.name)
    (outcome,) = attempt_all(world, [trial], 1, pause_s, click.echo)
    outcome.events.clear()
    click.echo(str(outcome))
    return [outcome]


def _many(world: World, trials: list[Trial], jobs: int, pause_s: float) -> list[Outcome]:
    """Run trials, with a line for each and one for all of them."""
    console = Console(soft_wrap=True)
    outcomes: list[Outcome] = []
    began = time.monotonic()
    with Status(f"0 of {len(trials)} runs", console=console) as status:
        for outcome in attempt_all(world, trials, jobs, pause_s):
            outcomes.append(outcome)
            identical = sum(outcome.identical for outcome in outcomes)
            passed = time.monotonic() - began
            left = passed / len(outcomes) * (len(trials) - len(outcomes))
            console.print(f"{len(outcomes):4} {outcome}", markup=False, highlight=False)
            status.update(
                f"{len(outcomes)} of {len(trials)} runs, {identical} identical, {len(outcomes) - identical} wrong; "
                f"{passed / 60:.0f} min, about {left / 60:.0f} min to go"
            )
    return outcomes
