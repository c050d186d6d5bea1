"""What an environment of a job's own costs: ``python -m bench.environments``.

Whole runs of a short job, from the start of the command to its end: with nothing, with a requirements file of five
packages the first time (from the installer's cache) and again, and in a container. With ``--rate`` the records a second
of a keyed job in processes and in a container, in pairs.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

_JOB = """\
from datastream import StreamExecutionEnvironment

def named(number):
    if WITH:
        import humanize, isodate, markdown, slugify, tabulate
        return humanize.intcomma(number)
    return str(number)

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
env.from_collection(list(range(100))).map(named).key_by(len).reduce(max).print()
env.execute("environments")
"""
#: Counts the numbers up to its argument by key, with state.
_COUNTS = """\
import sys
from datastream import StreamExecutionEnvironment, WatermarkStrategy
from datastream.connectors import DataGeneratorSource, DiscardingSink

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = DataGeneratorSource(int, int(sys.argv[1]))
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
counts = numbers.map(lambda n: (n % 100_000, 1)).key_by(lambda pair: pair[0])
counts.reduce(lambda a, b: (a[0], a[1] + b[1])).sink_to(DiscardingSink())
env.execute("counts")
"""
_FEW = 1000
_PACKAGES = ("humanize", "isodate", "markdown", "python-slugify", "tabulate")
_NOTHING, _COLD, _WARM, _CONTAINER = "nothing", "five packages, cold", "five packages, warm", "container"


@click.command()
@click.option("--runs", default=5, show_default=True, help="Of each kind, in turn.")
@click.option("--image", help="Also in a container of this image.")
@click.option("--rate", "records", type=int, help="Records a second of a keyed job with so many, in pairs.")
def main(runs: int, image: str | None, records: int | None) -> None:
    """Time whole runs of a short job with and without an environment of its own."""
    if records is not None:
        _rates(runs, image or "", records)
        return
    kinds = [_NOTHING, _COLD, _WARM, *([_CONTAINER] if image else [])]
    took: dict[str, list[float]] = {kind: [] for kind in kinds}
    folder = Path(tempfile.mkdtemp(prefix="bench-environments-"))
    try:
        (folder / "requirements.txt").write_text("\n".join(_PACKAGES) + "\n")
        for number in range(runs + 1):
            for kind in kinds:
                seconds = _run(folder, kind, image)
                if number:  # the first one of each fills caches
                    took[kind].append(seconds)
    finally:
        shutil.rmtree(folder)
    base = statistics.median(took[_NOTHING])
    for kind in kinds:
        values = took[kind]
        middle = statistics.median(values)
        click.echo(f"{kind:20} {middle:6.2f} s  ({min(values):.2f} to {max(values):.2f})  {middle - base:+.2f} s")


def _rates(runs: int, image: str, records: int) -> None:
    ratios = []
    container = ["-py-env", "docker", "-py-docker-image", image]
    with tempfile.TemporaryDirectory(prefix="bench-environments-") as name:
        folder = Path(name)
        (folder / "job.py").write_text(_COUNTS)
        for number in range(runs + 1):
            rates = []
            for options in ([], container) if number % 2 else (container, []):
                few, all_ = (_timed(folder, options, str(count)) for count in (_FEW, records))
                rates.append(records / (all_ - few))
            if number:  # the first pair fills caches
                process, contained = rates if number % 2 else rates[::-1]
                ratios.append(contained / process)
                click.echo(f"process {process:12,.0f}/s  container {contained:12,.0f}/s  {ratios[-1]:.2f}")
    click.echo(f"container to process, median of {runs} pairs: {statistics.median(ratios):.2f}")


def _run(folder: Path, kind: str, image: str | None) -> float:
    job = folder / "job.py"
    job.write_text(_JOB.replace("WITH", str(kind in (_COLD, _WARM))))
    store = folder / "environments"
    if kind == _COLD:
        shutil.rmtree(store, ignore_errors=True)
    options = ["-pyreq", "requirements.txt"] if kind in (_COLD, _WARM) else []
    if kind == _CONTAINER:
        options = ["-py-env", "docker", "-py-docker-image", image or ""]
    return _timed(folder, options)


def _timed(folder: Path, options: list[str], *args: str) -> float:
    command = [sys.executable, "-m", "datastream.cli", "run", "--no-progress", *options, "job.py", *args]
    variables = {**os.environ, "DATASTREAM_ENVIRONMENTS": str(folder / "environments")}
    began = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=variables)
    return time.monotonic() - began


if __name__ == "__main__":
    main()
