"""``datastream jobs cancel``: end a job of a gateway."""

from __future__ import annotations

import click

from ..gateway import connected, gateway_options, tell_if_it_goes_on
from ..job_argument import JOB


@click.command("cancel")
@click.option("--no-wait", is_flag=True, help="Do not wait for the job's end.")
@gateway_options
@JOB
def command(no_wait: bool, gateway: str | None, token_file: str | None, job: str) -> None:
    """Cancel JOB and wait for its end.

    The epoch in progress is dropped. No savepoint is written; see stop.
    """
    with connected(gateway, token_file) as client:
        ended = client.cancel(client.find_job(job).id, wait=not no_wait)
        click.echo(f"{ended.id} {ended.state}")
        if not no_wait:
            tell_if_it_goes_on(client, ended.id)
