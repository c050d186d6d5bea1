"""``datastream jobs rm``: forget ended jobs of a gateway."""

from __future__ import annotations

import click

from ..gateway import connected, gateway_options
from ..job_argument import JOBS


@click.command("rm")
@gateway_options
@JOBS
def command(gateway: str | None, token_file: str | None, jobs: tuple[str, ...]) -> None:
    """Delete what the gateway has of each ended JOB: its log, metrics and default checkpoint directory."""
    with connected(gateway, token_file) as client:
        for job in jobs:
            found = client.find_job(job)
            client.forget(found.id)
            click.echo(found.id)
