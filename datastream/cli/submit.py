"""``datastream submit``: run a job on a gateway."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from datastream.driver.failures import INVALID

from .artifact_argument import MODULE
from .gateway import connected, fail, gateway_options
from .gateway_names import files_and_artifacts
from .properties import parse_properties
from .run_options import run_options
from .uploading import INCLUDE

if TYPE_CHECKING:
    from datastream.client import Artifact, GatewayClient


@click.command("submit", context_settings={"allow_interspersed_args": False})
@run_options(
    {
        "name": "Name of the job; wins over the script's. No active job has the same.",
        "checkpoint-dir": "Where offsets, state and commits live.  [default: a new one]",
    },
    only=lambda said: said.in_gateway is not None,
)
@MODULE
@click.option(
    "-D",
    "properties",
    multiple=True,
    metavar="KEY=VALUE",
    callback=parse_properties,
    help="A setting; may be repeated. spark.* go to Spark.",
)
@click.option("--launcher", metavar="NAME", help="Where the job's driver runs.  [default: the gateway's]")
@INCLUDE
@click.option("--detach/--follow", help="Print the job's id at once, or follow its start.  [default: follow]")
@click.option("--wait", is_flag=True, help="Wait for the job's end; its exit code is that of this command.")
@gateway_options
@click.argument("job", metavar="SCRIPT|FOLDER|ARCHIVE|ARTIFACT_ID", shell_complete=files_and_artifacts)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(
    module: str | None,
    properties: dict[str, str],
    launcher: str | None,
    include: tuple[str, ...],
    detach: bool,
    wait: bool,
    gateway: str | None,
    token_file: str | None,
    job: str,
    args: tuple[str, ...],
    **options: Any,
) -> None:
    """Run a job on a gateway; ARGS go to the job.

    A script, an archive (zip, pyz, whl, tar.gz) or a folder with the job's modules is uploaded first; a folder is
    packed as a zip file, without names that begin with a dot, links out of it, virtual environments and __pycache__;
    --include takes one of them along. Folders of savepoints and checkpoints are the gateway's.

    The command waits until the job has committed its first epoch. Ctrl-C leaves the job as it is.

    \b
    Exit code: 0 the job runs, or has finished; 1 failed, 2 wrong usage, 130 Ctrl-C; with --wait that of the job.
    """
    if detach and wait:
        raise click.UsageError("give --detach or --wait, not both")
    with connected(gateway, token_file) as client:
        artifact = find_artifact(client, job, include)
        jid = client.run(
            artifact.id,
            args,
            module=module,
            properties=properties,
            launcher=launcher,
            **options,
        )
        if detach:
            click.echo(jid)
            return
        from .job_start import follow

        code = follow(client, jid, to_the_end=wait)
    sys.exit(code)


def find_artifact(client: GatewayClient, text: str, include: Sequence[str] = ()) -> Artifact:
    """Upload a file or folder of this name; if there is none, it is an artifact's id, or the beginning of one."""
    from datastream.client import NotFound

    from .uploading import upload

    path = Path(text)
    if path.exists():
        return upload(client, path, include=include)
    try:
        found = client.artifact(text)
        if found.id.startswith(text):  # not by its name: a file that is mistyped would run an older one
            return found
    except NotFound:
        pass
    fail(f"{text}: there is no such file or folder here, and the gateway has no artifact with this id", INVALID)
    raise AssertionError
