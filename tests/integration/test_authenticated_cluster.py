"""A standalone cluster whose processes show each other a secret."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.integration.test_cluster_page import JOB
from tests.support.cluster import Cluster
from tests.support.processes import Runs

SECRET = "hunter2x"


@pytest.mark.long
def test_a_job_on_an_authenticated_cluster(runs: Runs, tmp_path: Path) -> None:
    secured = ("spark.authenticate=true", f"spark.authenticate.secret={SECRET}", "spark.network.crypto.enabled=true")
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(runs, tmp_path / "cluster", *(f"-D{setting}" for setting in secured))
    job = tmp_path / "orders.py"
    job.write_text(JOB)
    words = ["--master", cluster.master, "-p", "2", "-D", f"spark.pyspark.python={cluster.python}"]
    words += ["-D", "spark.executor.memory=512m", "--checkpoint-dir", str(tmp_path / "checkpoint")]
    run = runs.job(*words, *(word for setting in secured for word in ("-D", setting)), str(job))
    seen: set[str] = set()

    def started() -> bool:
        for process in psutil.Process(run.process.pid).children(recursive=True):
            with suppress(psutil.Error):  # it has ended meanwhile
                seen.add(" ".join(process.cmdline()))
        return cluster.executors_started() > 0

    run.until(started, "an executor")
    assert "100" in run.succeed(limit_s=240)
    assert any("SparkSubmit" in line for line in seen) and not any(SECRET in line for line in seen)
    assert SECRET not in run.err
