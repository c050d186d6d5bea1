"""``datastream status``: how a running job is."""

from __future__ import annotations

import json

import click

from .running import JOB, JSON, started, told


@click.command("status")
@JSON
@JOB
def command(as_json: bool, job: str) -> None:
    """Show how JOB is: a checkpoint directory, or the id of a job that runs on this machine.

    \b
    Exit code: 0 it runs, 1 it does not.
    """
    from datastream.job.control import request
    from datastream.job.registry import find_job

    with told():
        found = request(find_job(job), "status")
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    found["started"] = started(found)
    for name in (
        "id",
        "name",
        "status",
        "started",
        "restarts",
        "epoch",
        "records_in",
        "records_out",
        "checkpoint",
        "pid",
    ):
        click.echo(f"{name:<12}{'-' if found[name] is None else found[name]}")
