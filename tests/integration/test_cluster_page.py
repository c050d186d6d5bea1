"""The command of docs/cluster.md for a standalone cluster runs on one."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support.cluster import Cluster
from tests.support.doc_blocks import blocks, commands
from tests.support.processes import ROOT, Runs

JOB = """
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_sequence(1, 100).uid("orders")
orders.key_by(lambda n: 0).reduce(max).uid("most").filter(lambda n: n == 100).print().uid("print")
env.execute("orders")
"""


@pytest.mark.long
def test_the_command_for_a_standalone_cluster(runs: Runs, cluster: Cluster, tmp_path: Path) -> None:
    page = blocks(ROOT / "docs" / "cluster.md", ROOT)
    written = [command for block in page if block.language == "sh" for command in commands(block.text)]
    (words,) = [shlex.split(command)[2:] for command in written if "spark://" in command]
    job = tmp_path / "orders.py"
    job.write_text(JOB)
    here = {
        "spark://master.example:7077": cluster.master,
        "spark.pyspark.python=/opt/jobs/venv/bin/python": f"spark.pyspark.python={cluster.python}",
        "spark.executor.memory=4g": "spark.executor.memory=512m",
        "/mnt/shared/checkpoints/orders": str(tmp_path / "checkpoint"),
        "8": "2",
        "orders.py": str(job),
    }
    assert set(here) <= set(words)
    run = runs.job(*[here.get(word, word) for word in words])
    assert "100" in run.succeed(limit_s=240)
    assert run.err.count("set spark.authenticate=true, with the cluster's spark.authenticate.secret") == 1
    assert (tmp_path / "checkpoint" / "commits" / "0").exists()
