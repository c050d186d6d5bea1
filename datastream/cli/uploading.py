"""Uploading a script, an archive or a folder, with a progress bar."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .folder_archive import Selection, pack
from .gateway import fail

if TYPE_CHECKING:
    from datastream.client import Artifact, GatewayClient


INCLUDE = click.option(
    "--include",
    multiple=True,
    metavar="PATTERN",
    help="Of a folder, upload this too, which is left out otherwise, such as .config or 'data/*'; may be repeated.",
)
#: Names of what is left out that are shown.
_SHOWN = 10


def upload(client: GatewayClient, path: Path, name: str | None = None, include: Sequence[str] = ()) -> Artifact:
    """Upload a file, or a folder as a zip file. Ends the command if it cannot be read.

    Args:
        client: The gateway.
        path: The file or folder.
        name: The artifact's name; None means the file's.
        include: Patterns of what of a folder is uploaded although it is left out otherwise.
    """
    try:
        if not path.is_dir():
            return _upload(client, path, name or path.name)
        with tempfile.NamedTemporaryFile(prefix="datastream-", suffix=".zip") as archive:
            selection = Selection(include)
            count = pack(path, archive, selection)
            _say_what_is_left_out(selection)
            if count == 0:
                fail(f"{path} has no files")
            archive.flush()
            return _upload(client, Path(archive.name), name or f"{path.resolve().name or 'job'}.zip")
    except ConnectionError:
        raise  # of the gateway's
    except OSError as error:
        fail(f"{error.filename or path}: {error.strerror or error}")
        raise


def _say_what_is_left_out(selection: Selection) -> None:
    if not selection.left_out:
        return
    click.echo("not uploaded (--include PATTERN uploads it):", err=True)
    for name, why in list(selection.left_out.items())[:_SHOWN]:
        click.echo(f"  {click.format_filename(name)}: {why}", err=True)
    if len(selection.left_out) > _SHOWN:
        click.echo(f"  and {len(selection.left_out) - _SHOWN} more", err=True)


def _upload(client: GatewayClient, path: Path, name: str) -> Artifact:
    if not sys.stderr.isatty():
        return client.upload(path, name=name)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("uploading {task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(click.format_filename(name).replace("[", r"\["), total=max(1, path.stat().st_size))
        return client.upload(path, lambda sent, size: bar.update(task, completed=sent, total=size), name)
