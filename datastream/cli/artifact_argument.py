"""The arguments that name artifacts of the gateway."""

from __future__ import annotations

import click

from .gateway_names import artifact_names

ARTIFACT = click.argument("artifact", metavar="ARTIFACT", shell_complete=artifact_names)
ARTIFACTS = click.argument("artifacts", metavar="ARTIFACT...", nargs=-1, required=True, shell_complete=artifact_names)
MODULE = click.option("-m", "--module", metavar="MODULE", help="The module of the archive to run, such as jobs.main.")
