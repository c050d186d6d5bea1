"""``datastream artifacts download``: get an artifact of a gateway."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from ..artifact_argument import ARTIFACT
from ..gateway import connected, fail, gateway_options


@click.command("download")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file, or a folder for it.  [default: the artifact's name, here]",
)
@gateway_options
@ARTIFACT
def command(output: Path | None, gateway: str | None, token_file: str | None, artifact: str) -> None:
    """Write ARTIFACT to a file, and print its name. A file that is there already is replaced only if -o names it."""
    with connected(gateway, token_file) as client:
        found = client.artifact(artifact)
        name = PurePath(found.name.replace("\\", "/")).name or found.id  # stays in the folder, whatever the server says
        target = Path(name) if output is None else output / name if output.is_dir() else output
        if target != output and target.exists():
            fail(f"{target} exists; name another file with -o")
        try:
            client.download(found.id, target)
        except OSError as error:
            fail(f"{target}: {error.strerror or error}")
    click.echo(target)
