"""Following a job that was submitted: until its first committed epoch, or its end."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

from datastream.driver.failures import CANCELLED, FAILED
from datastream.plain_text import escaped, indented

from .figures import count, duration
from .job_argument import short
from .jobs.exceptions import place
from .log_text import log_text

if TYPE_CHECKING:
    from datastream.client import GatewayClient, Job

#: A job that runs for this long without an epoch waits for its first records.
_PATIENCE_S = 60.0
#: Of the last lines of a failed job's log, this number of warnings and errors are shown.
_LOOKED_THROUGH, _SHOWN = 50, 2
_BAD = ("warning", "error", "critical")


class Line(Protocol):
    """Shows how the job is."""

    def __call__(self, job: Job) -> None: ...


def follow(client: GatewayClient, jid: str, to_the_end: bool) -> int:
    """Show how a job gets on; returns the exit code of the command.

    Args:
        client: The gateway.
        jid: The job.
        to_the_end: Until it has ended; else until it has committed an epoch.
    """
    job: Job | None = None
    running_since: float | None = None
    try:
        with _line() as show:
            for job in client.watch(jid):
                show(job)
                if to_the_end or job.state != "RUNNING":
                    running_since = None
                    continue
                running_since = running_since or time.monotonic()
                if job.epoch is not None or time.monotonic() - running_since > _PATIENCE_S:
                    break
    except KeyboardInterrupt:
        click.echo(f"\nthe job goes on: datastream jobs show {short(jid)}", err=True)
        return CANCELLED
    assert job is not None
    _tell(client, job)
    code = exit_code(job)
    return code if to_the_end or code in (0, CANCELLED) else FAILED


def exit_code(job: Job) -> int:
    """The exit code of a job: that of its driver once it has ended."""
    if not job.ended or job.state == "FINISHED":
        return 0
    if job.state == "CANCELED":
        return CANCELLED
    code = job.exit_code or FAILED
    return code if 0 < code < 256 else 128 - code if -128 < code < 0 else FAILED  # minus: ended by a signal


@contextmanager
def _line() -> Iterator[Line]:
    """A line that moves, on a terminal; else a line for each state."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("submitted", spinner="dots") as status:
            yield lambda job: status.update(state_text(job))
        return
    last: list[str] = []

    def show(job: Job) -> None:
        if last != [job.state]:
            last[:] = [job.state]
            click.echo(job.state, err=True)

    yield show


def state_text(job: Job) -> str:
    """A job's state in one line."""
    parts = [job.state]
    if job.epoch is not None:
        parts += [f"epoch {job.epoch:,}", f"{job.records_in or 0:,} in", f"{job.records_out or 0:,} out"]
        if job.records_per_second is not None:
            parts.append(f"{count(job.records_per_second)} records/s")
    return "  ".join(parts)


def _cause(client: GatewayClient, job: Job) -> list[str]:
    """What else is known of a failure: the user's line, or what the job logged last, unless the error has it all."""
    if "\n" in (job.error or ""):
        return []
    exceptions = client.exceptions(job.id)
    if exceptions and (where := place(exceptions[0])):
        return [where]
    logged = [entry for entry in client.logs(job.id, _LOOKED_THROUGH) if entry.get("level") in _BAD]
    return [log_text(entry) for entry in logged[-_SHOWN:]]


def _tell(client: GatewayClient, job: Job) -> None:
    """How the job is, on stdout; its error, on stderr."""
    jid = short(job.id)
    if job.state == "FAILED":
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(f"the job failed: {indented(job.error or 'no reason is known')}", err=True)
        for line in _cause(client, job):
            click.echo(line, err=True)
        click.echo(f"\nits log: datastream jobs logs {jid}", err=True)
        return
    click.echo(f"job        {job.id}")
    click.echo(f"name       {escaped(job.name)}")
    if job.ended:
        records = f", {job.records_in:,} records in, {job.records_out or 0:,} out" if job.records_in else ""
        click.echo(f"state      {job.state} after {duration(job.duration_ms)}{records}")
        return
    waits = "  waits for its first records" if job.epoch is None else ""
    click.echo(f"state      {state_text(job)}{waits}")
    click.echo(f"dashboard  {client.url}/#/jobs/{job.id}")
    click.echo(f"next       datastream jobs show {jid}")
    click.echo(f"           datastream jobs logs -f {jid}")
    click.echo(f"           datastream jobs stop {jid}")
