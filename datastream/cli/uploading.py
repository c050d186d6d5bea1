"""Uploading a script, an archive or a folder, with a progress bar."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .folder_archive import pack
from .gateway import fail

if TYPE_CHECKING:
    from datastream.client import Artifact, GatewayClient


def upload(client: GatewayClient, path: Path, name: str | None = None) -> Artifact:
    """Upload a file, or a folder as a zip file. Ends the command if it cannot be read.

    Args:
        client: The gateway.
        path: The file or folder.
        name: The artifact's name; None means the file's.
    """
    try:
        if not path.is_dir():
            return _upload(client, path, name or path.name)
        with tempfile.NamedTemporaryFile(prefix="datastream-", suffix=".zip") as archive:
            if pack(path, archive) == 0:
                fail(f"{path} has no files")
            archive.flush()
            return _upload(client, Path(archive.name), name or f"{path.resolve().name or 'job'}.zip")
    except ConnectionError:
        raise  # of the gateway's
    except OSError as error:
        fail(f"{error.filename or path}: {error.strerror or error}")
        raise


def _upload(client: GatewayClient, path: Path, name: str) -> Artifact:
    if not sys.stderr.isatty():
        return client.upload(path, name=name)
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("uploading {task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(click.format_filename(name).replace("[", r"\["), total=max(1, path.stat().st_size))
        return client.upload(path, lambda sent, size: bar.update(task, completed=sent, total=size), name)
