"""A job of four records from the shell's start to its exit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.processes import ROOT, Finished, SideError, launch

JOBS = ROOT / "bench" / "jobs"


def command(job: str, *options: str) -> list[str]:
    """A shell that runs a job by the `datastream` command beside this Python."""
    program = Path(sys.executable).with_name("datastream")
    words = [str(program)] if program.exists() else [sys.executable, "-m", "datastream.cli"]
    return ["/bin/sh", "-c", 'exec "$@"', "sh", *words, "run", *options, str(JOBS / job)]


def run(executor: str = "spark", marked: bool = False, sample: bool = False) -> dict[str, Any]:
    """Run the job.

    Args:
        executor: ``spark`` or ``local``.
        marked: Note when it reaches which step, as ``parts``: ms since the shell's start.
        sample: Watch the memory of the tree.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        marks = Path(folder, "marks")
        job = "marked.py" if marked else "four_records.py"
        extra = {"DATASTREAM_BENCH_MARKS": str(marks)}
        done = launch(command(job, "--executor", executor, "--no-progress"), sample=sample, extra_environment=extra)
        check(done)
        result: dict[str, Any] = {"value": done.wall_s}
        if marked:
            result["parts"] = {**read_marks(marks, done.started), "exit": 1000 * done.wall_s}
        if done.peak is not None:
            result["peak"] = vars(done.peak)
        return result


def run_again() -> dict[str, Any]:
    """Run the job twice in one process: the seconds of the second one."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        seconds = Path(folder, "seconds")
        done = launch(command("again.py", "--no-progress"), extra_environment={"DATASTREAM_BENCH_MARKS": str(seconds)})
        check(done, jobs=2)
        return {"value": float(seconds.read_text())}


def check(done: Finished, jobs: int = 1) -> None:
    """Raise unless all went well and the job printed a line for each record."""
    if done.code or len(done.output.splitlines()) != 4 * jobs:
        raise SideError(f"exit code {done.code}\n{done.output[-500:]}\n{done.errors[-2000:]}")


def read_marks(path: Path, started: float) -> dict[str, float]:
    """Step -> ms since the start, in the order of time."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    times = {name: 1000 * (float(at) - started) for name, at in lines}
    return dict(sorted(times.items(), key=lambda item: item[1]))
