"""The command line."""

from __future__ import annotations

import random
import sys

import click

from tests.chaos.supervisor import TrialFailed
from tests.chaos.telling import teller
from tests.chaos.trial import JOBS, VICTIMS, Job, Trial, Victim
from tests.chaos.verdict import judge
from tests.support.servers.kafka import OwnBroker
from tests.support.servers.unavailable import UnavailableError

_DEFAULT = Trial()


class _Victims(click.ParamType[tuple[Victim, ...]]):
    name = "A,B,..."

    def convert(
        self, value: str | tuple[Victim, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Victim, ...]:
        if isinstance(value, tuple):
            return value
        wanted = [part.strip() for part in value.split(",")]
        found = tuple(victim for victim in VICTIMS if victim in wanted)
        if not found or set(wanted) - set(found):
            self.fail(f"expected some of {','.join(VICTIMS)}, got {value!r}", param, ctx)
        return found


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--messages", type=click.IntRange(min=1), default=_DEFAULT.messages, help="In the input.")
@click.option("--partitions", type=click.IntRange(min=1), default=_DEFAULT.partitions, help="Of input and output.")
@click.option("--keys", type=click.IntRange(min=1), default=_DEFAULT.keys, help="How many different ones.")
@click.option("--kills", type=click.IntRange(min=0), default=_DEFAULT.kills, help="How many, each by SIGKILL.")
@click.option("--seed", type=int, help="Of everything random.  [default: a new one]")
@click.option("--what", "victims", type=_Victims(), default=",".join(VICTIMS), help="Who may be killed.")
@click.option(
    "--job",
    type=click.Choice(JOBS),
    default=_DEFAULT.job,
    help="Running counts by key, a map, or counts in windows of event time.",
)
@click.option(
    "--epoch-records", type=click.IntRange(min=1), default=_DEFAULT.epoch_records, help="In an epoch, at most."
)
@click.option("--limit", type=click.FloatRange(min=1), default=_DEFAULT.limit_s, help="Seconds until it has failed.")
def main(
    messages: int,
    partitions: int,
    keys: int,
    kills: int,
    seed: int | None,
    victims: tuple[Victim, ...],
    job: Job,
    epoch_records: int,
    limit: float,
) -> None:
    """Run a job from Kafka to Kafka while driver, Java, Python workers and the broker are killed at random moments.

    At the end every message must have counted exactly once, and in order. Exit code: 0 it is so, 1 it is not.
    """
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    trial = Trial(messages, partitions, keys, kills, seed, victims, job, epoch_records, limit)
    try:
        broker = OwnBroker()
    except UnavailableError as error:
        sys.exit(str(error))
    try:
        with teller(messages) as tell:
            verdict = judge(trial, broker, tell)
    except TrialFailed as error:
        sys.exit(f"WRONG: seed {seed}: {error}")
    finally:
        broker.stop()
    click.echo(str(verdict))
    sys.exit(0 if verdict.right else 1)
