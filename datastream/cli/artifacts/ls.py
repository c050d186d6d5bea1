"""``datastream artifacts ls``: the artifacts of a gateway."""

from __future__ import annotations

import json

import click

from datastream.plain_text import one_line

from ..figures import moment, size
from ..gateway import JSON, connected, gateway_options
from ..table import write_table


@click.command("ls")
@JSON
@gateway_options
def command(as_json: bool, gateway: str | None, token_file: str | None) -> None:
    """List the artifacts, newest first. --json: one object for each artifact."""
    with connected(gateway, token_file) as client:
        found = client.artifacts()
    if as_json:
        for each in found:
            value = {
                "id": each.id,
                "name": each.name,
                "uploaded": each.uploaded_ms,
                "size": each.size,
                "sha256": each.sha256,
                "type": each.type,
                "modules": list(each.modules),
            }
            click.echo(json.dumps(value, ensure_ascii=False))
    elif found:
        rows = [
            (each.id, each.type or "-", size(each.size), moment(each.uploaded_ms), one_line(each.name, 100))
            for each in found
        ]
        write_table(("artifact", "type", "size", "uploaded", "name"), rows)
    else:
        click.echo("the gateway has no artifacts; 'datastream artifacts upload' uploads one", err=True)
