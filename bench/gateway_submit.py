"""From a job's submission to a gateway to its first committed epoch: ``python -m bench.gateway_submit``."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from datastream.client import GatewayClient

_JOB = """\
from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_source(DataGeneratorSource(int, rate_per_second=500), WatermarkStrategy.no_watermarks(), "numbers")
counts = numbers.map(lambda n: (n % 7, 1)).key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
counts.sink_to(DiscardingSink())
env.execute("submitted")
"""
_PYTHON = [sys.executable, "-m"]
#: After a driver is ready the machine is left alone for so long.
_QUIET_S = 2.0


@contextmanager
def gateway(folder: Path, pool: int) -> Iterator[GatewayClient]:
    """A gateway of its own, and its client."""
    data = folder / f"data-{pool}"
    serve = [*_PYTHON, "datastream.services.gateway", "serve", "--port", "0", "--pool", str(pool), "--data", str(data)]
    log = folder / f"log-{pool}"
    with log.open("w") as said, subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=said) as process:
        try:
            while "listens on " not in (text := log.read_text()):
                if process.poll() is not None:
                    raise click.ClickException(f"the gateway has ended:\n{text}")
                time.sleep(0.05)
            create = ["token", "create", "--data", str(data), "--name", "bench", "--scope", "write"]
            token = subprocess.check_output([*_PYTHON, "datastream.services.gateway", *create], text=True).strip()
            with GatewayClient(text.partition("listens on ")[2].partition(",")[0], token) as client:
                yield client
        finally:
            process.terminate()


def submit(client: GatewayClient, artifact: str, warm: bool) -> float:
    """Seconds until the gateway shows the first committed epoch."""
    while warm and not any((launcher.pool or {}).get("ready") for launcher in client.overview().launchers):
        time.sleep(0.1)
    time.sleep(_QUIET_S)
    began = time.monotonic()
    jid = client.run(artifact)
    while client.job(jid).epoch is None:
        time.sleep(0.02)
    took = time.monotonic() - began
    client.cancel(jid, wait=True)
    return took


def command_line(job: Path) -> float:
    """Seconds from the start of ``datastream run`` to its first committed epoch."""
    began = time.monotonic()
    command = [*_PYTHON, "datastream.cli", "run", "--log-format", "json", str(job)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("{") and json.loads(line)["event"] == "epoch":
                break
        took = time.monotonic() - began
        process.terminate()
        process.stderr.read()
    return took


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--runs", default=5)
def main(runs: int) -> None:
    """Submit a small keyed job to a gateway with a ready driver, to one without, and run it by the command."""
    folder = Path(tempfile.mkdtemp())
    job = folder / "job.py"
    job.write_text(_JOB)
    found: dict[str, list[float]] = {}
    try:
        with gateway(folder, 1) as client:
            artifact = client.upload(job).id
            found["a ready driver"] = [submit(client, artifact, warm=True) for _ in range(runs)]
        with gateway(folder, 0) as client:
            artifact = client.upload(job).id
            found["a new driver"] = [submit(client, artifact, warm=False) for _ in range(runs)]
        found["datastream run"] = [command_line(job) for _ in range(runs)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    click.echo(f"submit to first committed epoch, s; {runs} runs, {os.cpu_count()} cores: median (least to most)")
    for what, seconds in found.items():
        click.echo(f"  {what:<16}{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main()
