"""The command line."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from tests.chaos.systems.kinds import SYSTEMS
from tests.chaos.systems.trial import TrialFailed, attempt
from tests.support.servers.unavailable import UnavailableError

_HELP = f"""Read all of a system and write it back, while driver, workers and the system are killed with -9.

All results must be there, once; or at least once where a sink promises no more. SYSTEMs are {", ".join(SYSTEMS)};
without any, all of them. Exit code: 0 it is so, 1 it is not.
"""


@click.command("systems", help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.argument("systems", nargs=-1, type=click.Choice(list(SYSTEMS)), metavar="[SYSTEM...]")
@click.option("--records", type=click.IntRange(min=100), default=200_000, help="How many go in, and come out.")
@click.option("--kills", type=click.IntRange(min=0), default=3, help="Of driver, worker and server.")
@click.option("--runs", type=click.IntRange(min=1), default=1, help="Of each system.")
@click.option("--seed", type=int, default=1, help="Of the first run.")
@click.option("--within", "limit_s", type=float, default=300.0, help="Seconds that a run may take.")
def main(systems: tuple[str, ...], records: int, kills: int, runs: int, seed: int, limit_s: float) -> None:
    """See `_HELP`."""
    wrong = 0
    for name in systems or SYSTEMS:
        for one in range(seed, seed + runs):
            click.echo(f"{name}, seed {one}")
            with tempfile.TemporaryDirectory(prefix="chaos-", dir="/tmp") as folder:
                try:
                    told = attempt(SYSTEMS[name](), Path(folder), records, kills, one, limit_s, _tell)
                    click.echo(f"  right: {told}")
                except (TrialFailed, UnavailableError) as failed:
                    wrong += 1
                    click.echo(f"  WRONG: {failed}")
    sys.exit(1 if wrong else 0)


def _tell(text: str) -> None:
    click.echo(f"  {text}")


if __name__ == "__main__":
    main()
