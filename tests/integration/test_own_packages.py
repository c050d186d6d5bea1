"""A job's own packages may have the names of this project's folders."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.processes import JOBS, ROOT, Runs

pytestmark = pytest.mark.long  # many processes of their own

JOB = JOBS / "own_packages" / "job.py"


@pytest.mark.parametrize("executor", ["local", "spark"])
def test_on_this_machine(runs: Runs, executor: str) -> None:
    assert "warmest 40" in runs.job("--executor", executor, JOB).succeed()


def test_the_folder_in_which_a_job_is_started_hides_nothing_from_its_processes(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("")
    run = subprocess.run(
        [Path(sys.executable).with_name("datastream"), "run", JOB], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0 and "warmest 40" in run.stdout, run.stderr


@pytest.mark.long
def test_on_a_cluster(runs: Runs, cluster: Cluster) -> None:
    job = runs.job("--master", cluster.master, "-D", f"spark.pyspark.python={cluster.python}", JOB)
    assert "warmest 40" in job.succeed(limit_s=240)


def test_the_wheel_installs_one_package(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"datastream"}
    assert "datastream/connectors/kafka/__init__.py" in zipfile.ZipFile(wheel).namelist()


def test_a_checkout_gives_the_names_of_the_wheel(tmp_path: Path) -> None:
    code = (
        "import datastream.connectors.kafka\n"
        "import importlib.util\n"
        "print([n for n in ('connectors', 'services', 'tests', 'bench') if importlib.util.find_spec(n)])"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
