"""``datastream doctor``: what a job would find on this machine."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from datastream.config import machine
from datastream.errors import JavaError

from .finding import Finding
from .python_options import job_settings

MIN_MEMORY_GB = 2.0


@click.command("doctor", context_settings={"allow_interspersed_args": False})
@click.option(
    "--job",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Also what this script's first job brings; the options below are those of run.",
)
@job_settings
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(job: Path | None, args: tuple[str, ...]) -> None:
    """Show what a job would find on this machine. Exit code 1 if something it needs is missing.

    With --job the script runs up to its first execute(), with ARGS; nothing is installed.
    """
    packages = [package("pyspark", "4.3"), package("pyarrow", "18")]
    found = [python(), *packages, java(), memory(), cores(), archive()]
    if job is not None:
        from .doctor_job import findings

        found += findings(job, args)
    marks = {True: ("ok", "green"), False: ("no", "red"), None: ("--", "yellow")}
    width = max(len(finding.name) for finding in found)
    for finding in found:
        mark, colour = marks[finding.good]
        click.secho(f"{mark}  ", fg=colour, nl=False)
        click.echo(f"{finding.name:<{width}}  {finding.text}".replace("\n", f"\n{'':{width + 6}}"))
    sys.exit(1 if any(finding.good is False for finding in found) else 0)


def python() -> Finding:
    here = f"{platform.python_version()}, {sys.executable}"
    good = sys.version_info >= (3, 11)
    return Finding("python", here + ("" if good else "; 3.11 or later is needed"), good)


def package(name: str, least: str) -> Finding:
    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, f"not installed: pip install '{name}>={least}'", False)


def java() -> Finding:
    from datastream.spark.process.java import find_java

    try:
        found = find_java()
    except JavaError as error:
        return Finding("java", str(error), False)
    return Finding("java", f"{found.full_version}, {found.executable}")


def memory() -> Finding:
    import psutil

    state = psutil.virtual_memory()
    free, total = state.available / 2**30, state.total / 2**30
    text = f"{free:.1f} GB free of {total:.1f} GB"
    return Finding("memory", text, True if free >= MIN_MEMORY_GB else None)


def cores() -> Finding:
    count = machine.cores()
    return Finding("cores", str(count), True if count > 1 else None)


def archive() -> Finding:
    """Java's class-data archive, which the first run makes."""
    from datastream.spark.process.archive import path
    from datastream.spark.process.java import find_java

    name = "class-data archive"
    try:
        place = path(find_java())
    except JavaError:
        return Finding(name, "not known without Java and PySpark", None)
    if place.is_file():
        return Finding(name, str(place))
    return Finding(name, "none yet; the next run makes one when it ends, and later ones start faster", None)
