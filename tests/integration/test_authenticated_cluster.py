"""A standalone cluster whose processes show each other a secret."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from datastream.spark.process.authentication import defaults, warning
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
    assert SECRET not in run.err and "spark.authenticate" not in run.err


def test_who_is_warned_of_open_ports() -> None:
    def warned(master: str, **conf: str) -> str:
        given = {"spark.driver.host": "10.0.0.1", **{f"spark.{key.replace('__', '.')}": conf[key] for key in conf}}
        return warning(master, given) or ""

    assert "10.0.0.1" in warned("spark://master:7077") and "spark.authenticate.secret" in warned("spark://master:7077")
    assert "0.0.0.0" in warned("spark://master:7077", driver__bindAddress="0.0.0.0")
    # Spark makes YARN's secrets.
    assert "spark.authenticate=true" in warned("yarn") and "spark.authenticate.secret" not in warned("yarn")
    for address in ("127.0.0.1", "127.0.1.1", "localhost", "[::1]"):
        assert not warned("spark://master:7077", driver__host=address)
        assert not warned("spark://master:7077", driver__bindAddress=address)
    for answer in ("true", "false"):
        assert not warned("spark://master:7077", authenticate=answer)
    kubernetes = "k8s://https://kubernetes.default.svc"
    assert defaults(kubernetes) == {"spark.authenticate": "true"}
    assert not warned(kubernetes, authenticate="true")
    assert defaults("spark://master:7077") == defaults("yarn") == defaults("local[2]") == {}
