"""Workers in containers: every role of them, limits, and nothing left behind however they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.offline import REFUSES, Wheels
from tests.support.processes import Run, Runs
from tests.support.servers.choice import FORCE
from tests.support.servers.containers import find_image
from tests.support.waiting import wait_until

#: Of the driver's minor version.
IMAGE = "python:{}.{}-slim-bookworm".format(*sys.version_info)
WHERE = """
import os, sys
from pathlib import Path
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_python_requirements("requirements.txt", "wheels")
env.set_parallelism(2)

def where(number):
    import greeting
    print("printed there")
    here = Path("/proc/self/ns/mnt").readlink() == Path(sys.argv[1])
    return here, sys.executable, greeting.VERSION, os.getuid()

env.from_collection(range(4)).map(where).key_by(lambda w: w[0]).reduce(lambda a, b: a).print()
env.execute("where")
"""
COUNTS = """
import sys
from pyflink.common.serialization import Encoder
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from datastream import WatermarkStrategy
from datastream.connectors import DataGeneratorSource
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
source = DataGeneratorSource(int, int(sys.argv[1]), rate_per_second=400)
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
sums = numbers.map(lambda n: (n % 7, 1)).key_by(lambda p: p[0]).reduce(lambda a, b: (a[0], a[1] + b[1]))
sums.map(str).sink_to(FileSink.for_row_format(sys.argv[2], Encoder.simple_string_encoder()).build())
env.execute("counts")
"""
COUNT = 4000


@pytest.fixture(scope="module")
def image() -> str:
    """An image with nothing but Python; tests without an engine are skipped, or fail where they are required."""
    if os.environ.get(FORCE) == "process":
        pytest.skip(f"{FORCE}=process: containers are tested in a run of their own")
    find_image(IMAGE)
    return IMAGE


def containers(driver: int | None = None) -> list[str]:
    """The names of the containers of workers, of one driver perhaps."""
    label = "label=datastream.driver" if driver is None else f"label=datastream.driver={driver}"
    listed = subprocess.run(
        ["docker", "ps", "--all", "--filter", label, "--format", "{{.Names}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()


def until_gone(driver: int, limit_s: float = 20) -> None:
    wait_until(lambda: not containers(driver), "end of containers", limit_s, 0.2, lambda: containers(driver))


def start(runs: Runs, image: str, script: str, *options: object, args: tuple[object, ...] = ()) -> Run:
    (runs.folder / "job.py").write_text(script)
    docker = "-py-env", "docker", "-py-docker-image", image
    return runs.job(*docker, *options, "job.py", *args, environment={**REFUSES})


def test_functions_run_in_the_container_with_their_packages(runs: Runs, image: str) -> None:
    Wheels(runs.folder / "wheels").requirements(runs.folder, "greeting==2.0")
    run = start(runs, image, WHERE, args=(Path("/proc/self/ns/mnt").readlink(),))
    out = run.succeed()
    assert f"(False, '/usr/local/bin/python3', '2.0', {os.getuid()})" in out
    assert "printed there" in out
    until_gone(run.process.pid)
    run.assert_tidy()


def exact(folder: Path) -> None:
    """Each key has all its counts, each once."""
    lines = [
        line
        for file in folder.rglob("part-*")
        if not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
        for line in file.read_text().splitlines()
    ]
    assert sorted(lines) == sorted(str((n % 7, n // 7 + 1)) for n in range(COUNT))


def epochs(folder: Path) -> int:
    return len([file for file in folder.glob("commits/*") if file.name.isdecimal()])


def test_a_keyed_job_is_exact_though_its_container_and_its_driver_are_killed(runs: Runs, image: str) -> None:
    checkpoint, out = runs.folder / "checkpoint", runs.folder / "out"
    # Several restarts are no endless loop: each has committed epochs before.
    given = "--checkpoint-dir", checkpoint, "-D", "restart-strategy.type=fixed-delay"
    given = (
        *given,
        "-D",
        "restart-strategy.fixed-delay.attempts=20",
        "-D",
        "restart-strategy.fixed-delay.delay=100 ms",
    )
    first = start(runs, image, COUNTS, *given, args=(COUNT, out))
    first.until(lambda: epochs(checkpoint) >= 2, "epochs")
    (name,) = containers(first.process.pid)
    subprocess.run(["docker", "kill", "--signal", "KILL", name], check=True, capture_output=True)
    done = epochs(checkpoint)
    first.until(lambda: epochs(checkpoint) > done + 1, "epochs behind the container's end")
    (again,) = containers(first.process.pid)
    assert again != name
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    until_gone(first.process.pid)
    second = start(runs, image, COUNTS, *given, args=(COUNT, out))
    second.succeed(limit_s=120)
    until_gone(second.process.pid)
    exact(out)


def test_a_memory_limit_ends_the_worker_and_not_the_machine(runs: Runs, image: str) -> None:
    script = (
        WHERE.replace('print("printed there")', "bytearray(2 << 30)")
        .replace('env.set_python_requirements("requirements.txt", "wheels")', "")
        .replace("import greeting", "")
        .replace("greeting.VERSION", "''")
    )
    memory = "-D", "datastream.python.container.memory=700m"
    run = start(runs, image, script, *memory, args=(Path("/proc/self/ns/mnt").readlink(),))
    assert run.wait() == 1, run.told()
    assert "a Python worker process died" in run.err or "MemoryError" in run.err
    until_gone(run.process.pid)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["-py-docker-image", "no-such-image:1"],
            "the image no-such-image:1 is not on this machine and cannot be pulled",
        ),
        (["-pyexec", "no-python"], "no worker could be started in a container of the image"),
        (["-D", "datastream.python.container.mounts=/nowhere"], "/nowhere is to be mounted into the job's container"),
        (["-D", "datastream.python.container.memory=lots"], "invalid"),
    ],
)
def test_what_cannot_be_started_is_said_before_the_first_epoch(
    runs: Runs, image: str, options: list[str], says: str
) -> None:
    run = start(runs, image, COUNTS, *options, args=(1, runs.folder / "out"))
    assert run.wait() == 2, run.told()
    assert says in run.err
    until_gone(run.process.pid)
    run.assert_tidy()


def test_an_engine_that_is_away(runs: Runs, image: str) -> None:
    (runs.folder / "job.py").write_text(COUNTS)
    environment = {"DOCKER_HOST": "tcp://127.0.0.1:9"}
    given = "-py-env", "docker", "-py-docker-image", image, "job.py", 1, "out"
    run = runs.job(*given, environment=environment)
    assert run.wait() == 2, run.told()
    assert "no Docker engine answers" in run.err
