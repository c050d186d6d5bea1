"""Names and ids for the shell's completion, from the gateway; none if it is away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from datastream.client import GatewayClient

_TIMEOUT_S = 1.0


def _client(ctx: click.Context) -> GatewayClient:
    from datastream.client import GatewayClient, find_settings

    found = find_settings(ctx.params.get("gateway"), ctx.params.get("token_file"))
    return GatewayClient(found.url, found.token, timeout_s=_TIMEOUT_S, retries=0)


def job_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names and ids of jobs, active ones alone unless the command is for ended ones, too."""
    from datastream.errors import DataStreamError

    try:
        with _client(ctx) as client:
            jobs = client.jobs()
    except DataStreamError:
        return []  # the shell shows no errors while a user types
    if ctx.info_name in ("cancel", "stop", "savepoint"):
        jobs = [job for job in jobs if not job.ended]
    elif ctx.info_name == "rm":
        jobs = [job for job in jobs if job.ended]
    active = {job.name for job in jobs if not job.ended}
    found = [CompletionItem(name, help="the active job") for name in sorted(active) if name.startswith(incomplete)]
    ids = [job for job in jobs if job.id.startswith(incomplete)]
    return found + [CompletionItem(job.id, help=f"{job.name}, {job.state}") for job in ids]


def artifact_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids and names of artifacts."""
    from datastream.errors import DataStreamError

    try:
        with _client(ctx) as client:
            artifacts = client.artifacts()
    except DataStreamError:
        return []
    ids = [CompletionItem(each.id, help=each.name) for each in artifacts if each.id.startswith(incomplete)]
    names = sorted({each.name for each in artifacts if each.name.startswith(incomplete)})
    return ids + [CompletionItem(name, help="the newest of this name") for name in names]


def files_and_artifacts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, by the shell itself, and ids of artifacts."""
    ids = [item for item in artifact_names(ctx, param, incomplete) if incomplete and item.help]
    return [CompletionItem(incomplete, type="file"), *ids]
