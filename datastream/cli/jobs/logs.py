"""``datastream jobs logs``: the log of a job of a gateway."""

from __future__ import annotations

import json

import click

from ..gateway import connected, gateway_options
from ..job_argument import JOB
from ..log_text import log_text


@click.command("logs")
@click.option("-f", "--follow", is_flag=True, help="Go on until the job has ended.")
@click.option(
    "-n", "--lines", type=click.IntRange(min=0), default=200, show_default=True, help="Number of the last lines."
)
@click.option("--attempt", type=click.IntRange(min=1), help="The log of this attempt.  [default: the last]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, as logged.")
@gateway_options
@JOB
def command(
    follow: bool,
    lines: int,
    attempt: int | None,
    as_json: bool,
    gateway: str | None,
    token_file: str | None,
    job: str,
) -> None:
    """Show the log of JOB."""
    with connected(gateway, token_file) as client:
        for entry in client.logs(client.find_job(job).id, lines, follow, attempt):
            click.echo(json.dumps(entry, ensure_ascii=False) if as_json else log_text(entry))
