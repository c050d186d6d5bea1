"""The command line."""

from __future__ import annotations

import sys
import time

import click

from tests.kubernetes.chaos import chaos as run_chaos
from tests.kubernetes.check import Wrong, check_chart, check_manifests
from tests.kubernetes.flights import Flights
from tests.kubernetes.namespace import Refused

_IMAGES = click.option("--no-images", is_flag=True, help="The images are on the node already.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
def main() -> None:
    """What the flights job stands on a real cluster: its results must be those of a batch computation."""


@main.command()
@click.option("--short", is_flag=True, help="One installation, one deleted pod, no upgrade but one.")
@click.option("--chart/--no-chart", default=True, help="A release of helm/datastream.")
@click.option("--executors/--no-executors", default=True, help="Tasks run in pods of their own.")
@click.option("--manifests/--no-manifests", default=True, help="k8s/overlays/local too.")
@click.option("--within", "limit_s", type=float, default=420.0, help="Seconds until the results must be complete.")
@_IMAGES
def check(short: bool, chart: bool, executors: bool, manifests: bool, limit_s: float, no_images: bool) -> None:
    """Install, delete and kill pods, upgrade, roll back, uninstall."""
    tell = _Clock().tell
    try:
        if chart:
            _memory(check_chart(tell, executors, short, limit_s))
        if manifests and not short:
            _memory(check_manifests(tell, limit_s))
    except (Wrong, Refused, TimeoutError) as error:
        sys.exit(f"not as it should be: {error}")
    click.echo("all is as it should be")


@main.command()
@click.option("--runs", type=click.IntRange(min=1), default=20, help="How many.")
@click.option("--seed", type=int, default=1, help="Of the first run; the next ones count on.")
@click.option("--within", "limit_s", type=float, default=420.0, help="Seconds until a run must be complete.")
@click.option("--namespace", default="datastream-chaos", help="Where; it is made anew.")
@_IMAGES
def chaos(runs: int, seed: int, limit_s: float, namespace: str, no_images: bool) -> None:
    """Runs in which pods of all kinds are deleted, and processes in them killed."""
    wrong = run_chaos(namespace, runs, seed, _Clock().tell, limit_s)
    if wrong:
        sys.exit("\n".join([f"{len(wrong)} of {runs} runs went wrong:", *wrong]))
    click.echo(f"{runs} runs: exact")


class _Clock:
    def __init__(self) -> None:
        self._began = time.monotonic()

    def tell(self, text: str) -> None:
        click.echo(f"{time.monotonic() - self._began:6.0f} s  {text}")


def _memory(flights: Flights) -> None:
    click.echo(
        "highest memory: " + ", ".join(f"{pod} {used >> 20} MiB" for pod, used in sorted(flights.highest.items()))
    )
