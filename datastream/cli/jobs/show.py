"""``datastream jobs show``: a job of a gateway, with metrics by operator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from datastream.plain_text import one_line, plain

from ..figures import count, duration, moment, percent, size
from ..gateway import JSON, connected, gateway_options
from ..job_argument import JOB
from ..table import write_table
from .exceptions import place

if TYPE_CHECKING:
    from datastream.client import JobDetails, JobException, JobMetrics
    from datastream.client.artifact import ArtifactName

_HEAD = ("in/s", "out/s", "busy", "held back", "lag", "backlog", "state", "keys", "operator")


@click.command("show")
@JSON
@gateway_options
@JOB
def command(as_json: bool, gateway: str | None, token_file: str | None, job: str) -> None:
    """Show JOB: its state, metrics of its operators, the operator that limits it, and its last error."""
    with connected(gateway, token_file) as client:
        found = client.job(client.find_job(job).id)
        metrics, exceptions = client.metrics(found.id), client.exceptions(found.id)
    if as_json:
        from datastream.client.wire import to_json

        value = {**to_json(found), "metrics": to_json(metrics), "exceptions": to_json(exceptions)}
        click.echo(json.dumps(value, ensure_ascii=False))
        return
    _head(found, metrics)
    _operators(found, metrics)
    _error(found, exceptions)


def _head(job: JobDetails, metrics: JobMetrics) -> None:
    last = metrics.samples[-1] if metrics.samples and not job.ended else None
    rows = {
        "job": job.id,
        "name": plain(job.name) or None,
        "state": job.state + (f" for {duration(job.duration_ms)}" if not job.ended else ""),
        "artifact": None if job.artifact is None else _artifact(job.artifact),
        "statement": None if (statement := job.request.get("statement")) is None else one_line(str(statement), 200),
        "launcher": job.launcher,
        "parallelism": job.parallelism,
        "started": moment(job.start_ms),
        "ended": None if job.end_ms is None else f"{moment(job.end_ms)}, after {duration(job.duration_ms)}",
        "exit code": job.exit_code,
        "epoch": None if job.epoch is None else f"{job.epoch:,}",
        "records": f"{job.records_in or 0:,} in, {job.records_out or 0:,} out",
        "rate": None if last is None else f"{count(last.records_in_s)} in/s, {count(last.records_out_s)} out/s",
        "epochs": None if last is None or last.epoch_ms is None else f"{duration(last.epoch_ms)} each",
        "latency": None if last is None or last.latency_ms is None else duration(last.latency_ms),
        "restarts": job.restarts or None,
        "attempt": job.attempt if (job.attempt or 1) > 1 else None,
        "checkpoint": job.checkpoint,
        "savepoint": job.savepoint,
    }
    for name, value in rows.items():
        if value is not None:
            click.echo(f"{name:<13}{value}")


def _artifact(artifact: ArtifactName) -> str:
    return f"{plain(artifact.name)} ({artifact.id[:12]})" if artifact.id else plain(artifact.name)


def _operators(job: JobDetails, metrics: JobMetrics) -> None:
    if not metrics.operators or job.ended:
        return
    nodes = (job.plan or {}).get("nodes") or []
    names = {node.get("uid"): node.get("name") for node in nodes if isinstance(node, dict)}
    order = {uid: number for number, uid in enumerate(names)}
    rows = [
        (
            count(now.records_in_s),
            count(now.records_out_s),
            percent(now.busy_max if now.busy_max is not None else now.busy),
            percent(now.backpressure),
            duration(now.watermark_lag_ms),
            count(now.backlog),
            size(now.state_bytes),
            count(now.keys),
            one_line(names.get(uid) or uid, 60),
        )
        for uid, now in sorted(metrics.operators.items(), key=lambda item: order.get(item[0], len(order)))
    ]
    click.echo()
    write_table(_HEAD, rows)
    found = metrics.bottleneck
    if found is None:
        return
    text = f"{plain(found.name or found.operator)}, {percent(found.busy)} busy"
    if found.subtask is not None:
        text += f" in subtask {found.subtask}"
    if found.key is not None:
        text += f"; hottest key {one_line(found.key, 60)}"
    elif found.key_group is not None:
        text += f"; hottest key group {found.key_group}"
    click.echo()
    click.secho(f"bottleneck   {text}", fg="yellow" if metrics.backpressured else None)


def _error(job: JobDetails, exceptions: list[JobException]) -> None:
    if job.error is None and not exceptions:
        return
    click.echo()
    click.secho("last error   ", fg="red", nl=False)
    found = job.error or f"{exceptions[0].type}: {exceptions[0].message}"
    first, *others = plain(found).strip().splitlines() or ["-"]
    click.echo(first)
    for line in others if job.error else ():
        click.echo(f"{'':13}{line.strip()}")
    if exceptions and not (job.error and others) and (where := place(exceptions[0])):
        click.echo(f"{'':13}{where}")
