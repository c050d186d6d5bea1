"""``datastream jobs ls``: the jobs of a gateway."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

import click

from datastream.plain_text import one_line

from ..figures import count, duration
from ..gateway import JSON, connected, gateway_options
from ..job_argument import short
from ..table import table_lines

if TYPE_CHECKING:
    from datastream.client import GatewayClient, Job

_REFRESH_S = 1.0
_HEAD = ("job", "state", "for", "epoch", "in", "out", "in/s", "launcher", "name")


@click.command("ls")
@click.option("-a", "--all", "everything", is_flag=True, help="Ended jobs, too.")
@click.option("--watch", is_flag=True, help="Show the table again each second, until Ctrl-C.")
@JSON
@gateway_options
def command(everything: bool, watch: bool, as_json: bool, gateway: str | None, token_file: str | None) -> None:
    """List the active jobs, those that were started last come first. --json: one object for each job."""
    if watch and as_json:
        raise click.UsageError("give --watch or --json, not both")
    with connected(gateway, token_file) as client:
        if watch:
            _watch(client, everything)
        jobs = client.jobs()
        shown = [job for job in jobs if everything or not job.ended]
        if as_json:
            from datastream.client.wire import to_json

            for job in shown:
                click.echo(json.dumps(to_json(job), ensure_ascii=False))
        elif shown:
            for line in table(shown):
                click.echo(line)
        else:
            click.echo(nothing(jobs), err=True)


def table(jobs: list[Job]) -> list[str]:
    """Lines of text."""
    rows = [
        (
            short(job.id),
            job.state,
            duration(job.duration_ms),
            "-" if job.epoch is None else f"{job.epoch:,}",
            count(job.records_in),
            count(job.records_out),
            count(job.records_per_second),
            job.launcher or "-",
            (one_line(job.name, 80) or "-") + (f": {one_line(job.error, 100)}" if job.error and job.ended else ""),
        )
        for job in jobs
    ]
    return table_lines(_HEAD, rows)


def nothing(jobs: list[Job]) -> str:
    """What is said instead of an empty table."""
    if not jobs:
        return "the gateway has no jobs; 'datastream submit' runs one"
    return f"no job is active; --all shows {len(jobs)} that {'has' if len(jobs) == 1 else 'have'} ended"


def _watch(client: GatewayClient, everything: bool) -> None:
    """Show the table again and again; ends by Ctrl-C. A gateway that is away may come back."""
    from datastream.client import GatewayAway

    client.overview()  # a wrong URL or token is an error at once

    def lines() -> list[str]:
        try:
            jobs = client.jobs()
        except GatewayAway as error:
            return [f"{time.strftime('%H:%M:%S')}  {error}"]
        shown = [job for job in jobs if everything or not job.ended]
        return table(shown) if shown else [nothing(jobs)]

    try:
        if not sys.stdout.isatty():
            while True:
                click.echo("\n".join(lines()) + "\n")
                time.sleep(_REFRESH_S)
        from rich.live import Live
        from rich.text import Text

        with Live(auto_refresh=False, transient=False) as live:
            while True:
                live.update(Text("\n".join(lines()), no_wrap=True, overflow="ellipsis"), refresh=True)
                time.sleep(_REFRESH_S)
    except KeyboardInterrupt:
        sys.exit(0)
