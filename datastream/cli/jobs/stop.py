"""``datastream jobs stop``: end a job of a gateway with a savepoint."""

from __future__ import annotations

import click

from ..gateway import connected, gateway_options, tell_if_it_goes_on
from ..job_argument import JOB, TARGET_HELP


@click.command("stop")
@click.option("-p", "--savepointPath", "target", metavar="DIR", help=TARGET_HELP)
@click.option("-d", "--drain", is_flag=True, help="End the sources first, so that all timers and windows fire.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the savepoint.")
@gateway_options
@JOB
def command(
    target: str | None, drain: bool, no_wait: bool, gateway: str | None, token_file: str | None, job: str
) -> None:
    """Stop JOB after its epoch in progress, and write its state to a new folder in DIR.

    Start it again, or a changed one, with submit --from-savepoint.
    """
    with connected(gateway, token_file) as client:
        jid = client.find_job(job).id
        location = client.stop(jid, drain, target, wait=not no_wait)
        click.echo(f"{jid} stops" if location is None else f"Savepoint completed. Path: {location}")
        if location is not None:
            tell_if_it_goes_on(client, jid)
