"""The command line."""

from __future__ import annotations

import random
import sys
import time

import click
from confluent_kafka import KafkaException

from tests.compose import monitoring
from tests.compose.flights import Expected, flights_of_the_table, written
from tests.compose.stack import Stack
from tests.support.servers.kafka import Broker
from tests.support.servers.prometheus import PrometheusApi


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--kills", type=click.IntRange(min=0), default=0, help="How often to kill the job's container before.")
@click.option("--cluster", is_flag=True, help="Check the job of the profile `cluster`.")
@click.option("--project", default="datastream", help="Name of the compose project.")
@click.option("--at", "bootstrap", default="127.0.0.1:9092", help="Where its Kafka is.")
@click.option("--prometheus", default="127.0.0.1:9090", help="Where its Prometheus is.")
@click.option("--within", "limit_s", type=float, default=300.0, help="Seconds until the results must be complete.")
@click.option("--seed", type=int, default=1, help="Of the moments of the kills.")
def main(kills: int, cluster: bool, project: str, bootstrap: str, prometheus: str, limit_s: float, seed: int) -> None:
    """Compare what the flights job of compose.yaml writes to Kafka with a batch computation, and ask Prometheus.

    All targets must be up, each query of the boards must have data, and no alert may fire.

    Exit code: 0 it is the same, 1 it is not. For kills the job must have work left: `scripts/compose down -v` before.
    """
    service, source = ("runner-cluster", "cluster-flights") if cluster else ("runner", "flights")
    stack, broker = Stack(project), Broker(bootstrap)
    chance = random.Random(seed)
    began = time.monotonic()
    count = written(broker, source)
    for number in range(1, kills + 1):
        count = _progress(broker, source, count, limit_s)
        time.sleep(chance.uniform(0, 2))
        stack.measure()
        stack.kill(service)
        before = written(broker, source)
        stack.start(service)
        started = time.monotonic()
        count = _progress(broker, source, before, limit_s)
        took = time.monotonic() - started
        click.echo(f"kill {number}: {before:,} records were committed, the next ones {took:.1f} s after the start")

    expected = Expected(broker, source)
    problems = ["not looked at"]
    deadline = time.monotonic() + limit_s
    while problems and time.monotonic() < deadline:
        stack.measure()
        problems = expected.problems(broker, source)
        time.sleep(1 if problems else 0)
    if not problems:
        time.sleep(3)  # what is written twice may come later
        problems = expected.problems(broker, source)

    if not problems:
        problems = _monitoring(PrometheusApi(f"http://{prometheus}"), cluster)

    click.echo(f"{'memory':>10}  {'highest':>10}  container")
    now = stack.measure()
    states = stack.states()
    for name, used in sorted(now.items()):
        highest = stack.highest[name]
        click.echo(f"{used / 2**20:6.0f} MiB  {highest / 2**20:6.0f} MiB  {name}: {states[name]}")
    click.echo(f"{sum(now.values()) / 2**20:6.0f} MiB  {'':10}  all")
    took = time.monotonic() - began
    if problems:
        sys.exit("\n".join([f"after {took:.0f} s and {kills} kills not all is as it should be:", *problems]))
    click.echo(f"the results are those of the batch computation, {took:.0f} s and {kills} kills after this check began")


def _monitoring(prometheus: PrometheusApi, cluster: bool) -> list[str]:
    """What Prometheus misses; it gets the time of some scrapes."""
    deadline = time.monotonic() + 60
    while (found := monitoring.problems(prometheus, cluster)) and time.monotonic() < deadline:
        time.sleep(2)
    return found


def _progress(broker: Broker, source: str, before: int, limit_s: float) -> int:
    """Wait until the job has committed more; how much it has.

    Raises:
        SystemExit: It has not, in time.
    """
    deadline, flights = time.monotonic() + limit_s, flights_of_the_table()
    while time.monotonic() < deadline:
        try:
            count = written(broker, source)
        except KafkaException:
            count = before
        if count > before:
            return count
        if count >= flights:
            raise SystemExit("the job has no flights left to be killed at: scripts/compose down -v, and up")
        time.sleep(0.05)
    raise SystemExit(f"nothing was committed to {source}-carriers within {limit_s:.0f} s, beyond {before:,} records")
