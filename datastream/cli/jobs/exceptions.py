"""``datastream jobs exceptions``: what went wrong in a job of a gateway."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from datastream.plain_text import one_line, plain

from ..figures import moment
from ..gateway import JSON, connected, gateway_options
from ..job_argument import JOB

if TYPE_CHECKING:
    from datastream.client import JobException


@click.command("exceptions")
@click.option("-v", "--verbose", is_flag=True, help="Whole tracebacks.")
@JSON
@gateway_options
@JOB
def command(verbose: bool, as_json: bool, gateway: str | None, token_file: str | None, job: str) -> None:
    """Show what went wrong in JOB, newest first. --json: one object for each exception."""
    with connected(gateway, token_file) as client:
        found = client.exceptions(client.find_job(job).id)
    if as_json:
        from datastream.client.wire import to_json

        for each in found:
            click.echo(json.dumps(to_json(each), ensure_ascii=False))
        return
    if not found:
        click.echo("no exceptions", err=True)
    for each in found:
        click.secho(moment(each.time_ms), dim=True, nl=False)
        click.secho(f"  {plain(each.kind)}  ", fg="red", nl=False)
        click.echo(f"{plain(each.type)}: {plain(each.message) if verbose else one_line(each.message)}")
        if where := place(each):
            click.echo(f"  {where}")
        if verbose and each.trace:
            click.echo("".join(f"  {line}\n" for line in plain(each.trace).splitlines()), nl=False)


def place(found: JobException) -> str:
    """Operator, function, file and line, as far as they are known."""
    parts = []
    if found.operator:
        parts.append(f"operator {plain(found.operator)}")
    if found.function:
        parts.append(f"function {plain(found.function)}")
    if found.file:
        parts.append(plain(found.file) + (f":{found.line}" if found.line is not None else ""))
    if found.value:
        parts.append(f"record {one_line(found.value, 100)}")
    return ", ".join(parts)
