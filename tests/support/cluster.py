"""A standalone Spark cluster of one master and two workers, with a Python that does not know this project."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pyspark

from datastream.spark.process.java import find_java, java_home
from tests.support.processes import Run, Runs

_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"


class Cluster:
    """A running cluster.

    Args:
        runs: Its processes.
        folder: For its files; not there yet.
        options: Of Java, for master and workers.

    Attributes:
        master: Its address for ``--master``.
        python: The Python of its workers: PySpark and what it needs, but neither us nor the job.
    """

    def __init__(self, runs: Runs, folder: Path, *options: str) -> None:
        self._options = options
        self.python = bare_python(folder / "python")
        self._empty = folder / "empty"
        self._empty.mkdir()
        self._environment: dict[str, str | None] = {
            "PYTHONPATH": None,
            "SPARK_SCALA_VERSION": "2.13",  # else the worker looks for a build of Spark to find out
            "SPARK_HOME": str(Path(pyspark.__file__).parent),
            "PYSPARK_PYTHON": None,
            "JAVA_HOME": java_home(find_java(), folder),
        }
        master = self._start(runs, _MASTER, "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        master.until(lambda: _address(master) is not None, "master's address")
        self.master = _address(master) or ""
        self._workers = [
            self._start(
                runs, _WORKER, "--host", "127.0.0.1", "-c", "1", "-m", "1g", "--webui-port", "0",
                "--work-dir", folder / f"work-{number}", self.master,
            )
            for number in range(2)
        ]  # fmt: skip
        for worker in self._workers:
            worker.until(lambda run=worker: "Successfully registered" in run.err, "registration")

    def executors_started(self) -> int:
        return sum(worker.err.count("Asked to launch executor") for worker in self._workers)

    def _start(self, runs: Runs, name: str, *args: object) -> Run:
        jars = Path(pyspark.__file__).parent / "jars" / "*"
        small = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *self._options]
        return runs.start(
            find_java().executable, *small, "-cp", jars, name, *args,
            folder=self._empty, environment=self._environment,
        )  # fmt: skip


def bare_python(folder: Path) -> Path:
    """An environment with the packages of this one, but not this project.

    This project is installed by a .pth file, and Python reads none in a folder that is itself named by one.
    """
    base = Path(sys._base_executable)  # by hand, since a Python may come without the module venv
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    site.mkdir(parents=True)
    (site / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "bin" / "python"
    for name, found in (("pyspark", True), ("pyarrow", True), ("datastream", False)):
        tried = subprocess.run(
            [python, "-c", f"import {name}"], cwd=folder, env={}, capture_output=True, text=True, timeout=60
        )
        assert (tried.returncode == 0) is found, f"import {name}: {tried.stderr}"
    return python


def _address(master: Run) -> str | None:
    found = re.search(r"Starting Spark master at (spark://\S+)", master.err)
    return found.group(1) if found else None
