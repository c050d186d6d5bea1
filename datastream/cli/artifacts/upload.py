"""``datastream artifacts upload``: upload a script, a folder or an archive."""

from __future__ import annotations

from pathlib import Path

import click

from ..gateway import connected, gateway_options
from ..uploading import INCLUDE, upload


@click.command("upload")
@click.option("--name", help="The artifact's name.  [default: the file's]")
@INCLUDE
@gateway_options
@click.argument("path", type=click.Path(exists=True, path_type=Path))
def command(
    name: str | None, include: tuple[str, ...], gateway: str | None, token_file: str | None, path: Path
) -> None:
    """Upload PATH, and print the artifact's id: a script, an archive, or a folder, which is packed as a zip file.

    Of a folder, names that begin with a dot, links out of it, virtual environments and __pycache__ stay here.

    The same content under the same name is the same artifact.
    """
    with connected(gateway, token_file) as client:
        artifact = upload(client, path, name, include)
    click.echo(artifact.id)
