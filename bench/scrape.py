"""What a scrape of a large job's metrics and a snapshot of its figures take: ``python -m bench.scrape``."""

from __future__ import annotations

import statistics
import time
import urllib.request

import click

from datastream import StreamExecutionEnvironment
from datastream.api.environment import graph_of
from datastream.config.settings import EpochSummary
from datastream.http_pages import compact_page
from datastream.metrics import Kept, KeptChange, KeySample, SubtaskMeasures
from datastream.prometheus import JobMetrics, Registry
from datastream.prometheus.server import MetricsServer
from datastream.services.runner.figures import Figures


def _metrics(operators: int, subtasks: int) -> tuple[Registry, Figures]:
    """The metrics and figures of a job in which each operator has all that one may have."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(subtasks)
    stream = env.from_collection([1])
    for i in range(operators):
        stream = stream.map(lambda n: n).name(f"operator number {i}").uid(f"operator-{i}")
    stream.print()
    graph = graph_of(env, "large job")
    registry = Registry()
    metrics = JobMetrics(graph, registry=registry)
    figures = Figures(graph)
    metrics.on_start(graph)
    kept = KeptChange(Kept(1000, 123_456, 100), Kept())
    for epoch in range(3):
        sample = KeySample(100, (f"key {epoch}", 30), tuple((group, 610) for group in range(8)))
        of_operator = {
            i: SubtaskMeasures(1000, 990, 12_345_678, 1_700_000_000_000 + i, kept, {str(i): 1_700_000_000_000}, sample)
            for i in range(subtasks)
        }
        measures = {f"operator-{i}": of_operator for i in range(operators)}
        summary = EpochSummary(epoch, 1000, 990, measures=measures)
        metrics.on_epoch(summary)
        figures.on_epoch(summary)
    return registry, figures


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--operators", default=200)
@click.option("--subtasks", default=16)
@click.option("--scrapes", default=100)
def main(operators: int, subtasks: int, scrapes: int) -> None:
    """Scrape the metrics of a job over HTTP, make snapshots of its figures, and print what that takes."""
    registry, figures = _metrics(operators, subtasks)
    server = MetricsServer("127.0.0.1", 0, registry)
    took, size, series = [], 0, 0
    for _ in range(scrapes):
        began = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
            text = answer.read()
        took.append(1000 * (time.perf_counter() - began))
        size, series = len(text), sum(not line.startswith(b"#") for line in text.splitlines())
    server.close()
    print(f"{operators} operators, {subtasks} subtasks: {series:,} series, {size / 1e6:.1f} MB")
    print(f"a scrape: {statistics.median(took):.1f} ms in median, {max(took):.1f} ms at most, of {scrapes}")
    took = []
    for _ in range(scrapes):
        began = time.perf_counter()
        size = len(compact_page(figures.as_dict()).content)
        took.append(1000 * (time.perf_counter() - began))
    print(f"a snapshot, {size / 1e6:.1f} MB: {statistics.median(took):.1f} ms in median, {max(took):.1f} ms at most")


if __name__ == "__main__":
    main()
