"""From the start of a container to its job's first committed epoch: ``python -m bench.container_start``."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import click

#: Keyed state, a checkpoint and an end, as small as can be.
_JOB = """\
from datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(list(range(1000))).key_by(lambda n: n % 10).reduce(lambda a, b: a + b).print()
env.execute("start")
"""
_CACHES = Path("/proc/sys/vm/drop_caches")


def start(image: str, folder: Path, cores: int) -> tuple[float, float]:
    """Seconds from `docker run` to the process's first line, and to its first committed epoch."""
    command = ["docker", "run", "--rm", "--read-only", "--tmpfs", "/tmp:exec,size=512m", "--tmpfs", "/checkpoints"]
    command += ["--cpus", str(cores), "--memory", "2g", "-v", f"{folder}:/job:ro"]
    command += ["-e", "DATASTREAM_CHECKPOINT_DIR=/tmp/checkpoint", image, "/job/job.py"]
    began = time.monotonic()
    first = epoch = 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            first = first or time.monotonic() - began
            if not epoch and line.startswith("{") and json.loads(line)["event"] == "epoch":
                epoch = time.monotonic() - began
    if process.returncode or not epoch:
        raise click.ClickException(f"{image} ended with code {process.returncode}:\n{''.join(said)}")
    return first, epoch


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--image", "images", multiple=True, default=("datastream",), help="May be repeated; taken in turn.")
@click.option("--runs", default=5)
@click.option("--cores", default=2)
@click.option("--cold", is_flag=True, help="Drop the system's file caches before each start; needs root.")
def main(images: tuple[str, ...], runs: int, cores: int, cold: bool) -> None:
    """Start containers, and print the medians."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    (folder / "job.py").write_text(_JOB)
    found: dict[str, list[tuple[float, float]]] = {image: [] for image in images}
    try:
        for _ in range(runs):
            for image in images:
                if cold:
                    subprocess.run(["sync"], check=True)
                    _CACHES.write_text("3")
                found[image].append(start(image, folder, cores))
    finally:
        with suppress(OSError):
            shutil.rmtree(folder)
    for image, times in found.items():
        first, epoch = (statistics.median(part) for part in zip(*times, strict=True))
        print(
            f"{image}: {first:.1f} s to its first line, {epoch:.1f} s to the first committed epoch "
            f"(median of {runs}, {min(e for _, e in times):.1f} to {max(e for _, e in times):.1f} s)"
        )


if __name__ == "__main__":
    main()
