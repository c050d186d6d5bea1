"""``datastream list``: the jobs that run on this machine."""

from __future__ import annotations

import json

import click

from .running import JSON, started
from .table import write_table


@click.command("list")
@JSON
def command(as_json: bool) -> None:
    """List the jobs of this user that run on this machine, those that started first come first."""
    from datastream.errors import JobNotFound
    from datastream.job.control import ControlError, request
    from datastream.job.registry import running_jobs

    found = []
    for note in running_jobs():
        try:
            found.append(request(note, "status"))
        except JobNotFound:
            continue  # it ends just now
        except ControlError as error:
            click.echo(f"warning: {error}", err=True)
    if as_json:
        for job in found:
            click.echo(json.dumps(job, ensure_ascii=False))
    elif found:
        head = ("job", "status", "started", "restarts", "checkpoint", "name")
        columns = [
            (job["id"], job["status"], started(job), str(job["restarts"]), job["checkpoint"] or "-", job["name"])
            for job in found
        ]
        write_table(head, columns)
    else:
        click.echo("no job runs on this machine", err=True)
