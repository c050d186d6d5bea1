"""What the commands for running jobs share: their argument, their errors, and how a job is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click

from datastream.errors import DataStreamError

JOB = click.argument("job", metavar="JOB")
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object for each job.")


@contextmanager
def told() -> Iterator[None]:
    """Errors of the block go to stderr, and end the command with exit code 1."""
    try:
        yield
    except DataStreamError as error:
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(str(error), err=True)
        sys.exit(1)


def started(job: dict[str, Any]) -> str:
    """When a job was started, for people."""
    return datetime.fromtimestamp(job["started_ms"] / 1000).strftime("%Y-%m-%d %H:%M:%S")
