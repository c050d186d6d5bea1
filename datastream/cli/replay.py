"""``datastream replay``: run one epoch of a checkpoint again, in this process."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from datastream.config.settings import settings
from datastream.errors import DataStreamError

from .properties import parse_properties


@click.command("replay", context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False})
@click.option(
    "--epoch", type=click.IntRange(min=0), metavar="N", help="Number of the epoch.  [default: the last begun]"
)
@click.option("-p", "--parallelism", type=click.IntRange(min=1), help="Default number of subtasks, as the job had it.")
@click.option("--name", help="Name of the job; wins over the script's.")
@click.option("-D", "properties", multiple=True, metavar="KEY=VALUE", callback=parse_properties, help="A setting.")
@click.option("-v", "--verbose", is_flag=True, help="Whole tracebacks.")
@click.argument("checkpoint", type=click.Path(exists=True, file_okay=False))
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(
    epoch: int | None,
    parallelism: int | None,
    name: str | None,
    properties: dict[str, str],
    verbose: bool,
    checkpoint: str,
    script: Path,
    args: tuple[str, ...],
) -> None:
    """Run an epoch of the job of SCRIPT again, as the folder CHECKPOINT has it; ARGS go to the script.

    The epoch begins with the state from before it and reads the same records, in this process, so that breakpoints in
    functions work. By default it is the last one that began: where a job has failed, the one in which it did. What
    sinks would have written is printed. Nothing is written, to the checkpoint neither. Functions run as always: what
    they do to other systems, they do again.

    \b
    Exit code: 0 the epoch ended, 1 it failed, 2 CHECKPOINT does not hold it or is of another job, or there was no job.
    """
    from datastream.driver.failures import exit_code, report
    from datastream.replay import Replay, replaying

    from .run import run

    given = settings()
    given.parallelism, given.name, given.verbose = parallelism, name, verbose
    given.properties.update(properties)
    replay = Replay(checkpoint, epoch, tell=partial(click.echo, err=True))
    with replaying(replay):
        code = run(given, script, args, "console", no_progress=False)
    if code == 0:
        try:
            replay.check()
        except DataStreamError as error:
            report(error, "console", verbose)
            code = exit_code(error, started=False)
    sys.exit(code)
