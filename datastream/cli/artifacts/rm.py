"""``datastream artifacts rm``: delete artifacts of a gateway."""

from __future__ import annotations

import click

from ..artifact_argument import ARTIFACTS
from ..gateway import connected, gateway_options


@click.command("rm")
@gateway_options
@ARTIFACTS
def command(gateway: str | None, token_file: str | None, artifacts: tuple[str, ...]) -> None:
    """Delete each ARTIFACT. One that an active job uses is kept, and the command fails."""
    with connected(gateway, token_file) as client:
        for artifact in artifacts:
            found = client.artifact(artifact)
            client.delete_artifact(found.id)
            click.echo(found.id)
