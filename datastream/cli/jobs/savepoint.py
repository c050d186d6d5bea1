"""``datastream jobs savepoint``: write the state of a job of a gateway."""

from __future__ import annotations

import click

from ..gateway import connected, gateway_options
from ..job_argument import JOB, TARGET_HELP


@click.command("savepoint")
@click.option("-p", "--savepointPath", "target", metavar="DIR", help=TARGET_HELP)
@gateway_options
@JOB
def command(target: str | None, gateway: str | None, token_file: str | None, job: str) -> None:
    """Write the state of JOB to a new folder in DIR. The job goes on."""
    with connected(gateway, token_file) as client:
        location = client.savepoint(client.find_job(job).id, target)
    click.echo(f"Savepoint completed. Path: {location}")
