"""``datastream stop``: end a running job with a savepoint."""

from __future__ import annotations

import click

from .running import JOB, told


@click.command("stop")
@click.option(
    "-p",
    "--savepointPath",
    "directory",
    metavar="DIR",
    help="Where the savepoint's folder is made; default: a setting.",
)
@click.option("-d", "--drain", is_flag=True, help="End the sources first, so that all timers and windows fire.")
@JOB
def command(directory: str | None, drain: bool, job: str) -> None:
    """Stop JOB after its epoch in hand, and write its state to a new folder in DIR.

    JOB is a checkpoint directory, or the id of a job that runs on this machine. Its command ends with exit code 0.
    """
    import os

    from datastream.job.control import request
    from datastream.job.registry import find_job

    with told():
        place = directory if directory is None or "://" in directory else os.path.abspath(directory)
        path = request(find_job(job), "stop", drain=drain, directory=place)
    click.echo(f"Savepoint completed. Path: {path}")
