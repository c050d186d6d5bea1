"""``datastream cancel``: end a running job."""

from __future__ import annotations

import click

from .running import JOB, told


@click.command("cancel")
@JOB
def command(job: str) -> None:
    """Cancel JOB, a checkpoint directory or the id of a job that runs on this machine, and wait for its end.

    The epoch in progress is dropped; it runs again when the job is started again.
    """
    from datastream.job.control import request
    from datastream.job.registry import find_job

    with told():
        note = find_job(job)
        outcome = request(note, "cancel")
    click.echo(f"{note.id} {outcome['status']}")
