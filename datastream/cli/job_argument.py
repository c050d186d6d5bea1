"""The argument that names a job of the gateway."""

from __future__ import annotations

import click

from .gateway_names import job_names

JOB = click.argument("job", metavar="JOB", shell_complete=job_names)
JOBS = click.argument("jobs", metavar="JOB...", nargs=-1, required=True, shell_complete=job_names)
TARGET_HELP = "Directory of savepoints.  [default: the gateway's]"


def short(jid: str) -> str:
    """The beginning of an id, as tables show it."""
    return jid[:12]
