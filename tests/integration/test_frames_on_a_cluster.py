"""A DataFrame in, DataFrames out, on a standalone cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import parquet

from tests.support.cluster import Cluster
from tests.support.processes import Runs

JOB = """
import sys

from datastream import Row, StreamExecutionEnvironment, Types

ROW = Types.ROW_NAMED(["n", "square"], [Types.LONG(), Types.LONG()])


def numbers(spark):
    from pyspark.sql.functions import udf

    return spark.range(100).select(udf(lambda n: n + 1, "long")("id").alias("n"))


def save(frame, epoch):
    frame.write.mode("overwrite").parquet(f"{sys.argv[1]}/epoch={epoch}")


env = StreamExecutionEnvironment.get_execution_environment()
env.from_spark(numbers, "numbers").map(lambda row: Row(n=row.n, square=row.n**2), ROW).to_spark(save)
env.execute("squares")
"""


@pytest.mark.long
def test_rows_come_and_go_by_files_that_all_machines_reach(runs: Runs, cluster: Cluster, tmp_path: Path) -> None:
    job, out = tmp_path / "squares.py", tmp_path / "out"
    job.write_text(JOB)
    words = ["--master", cluster.master, "-p", "2", "-D", f"spark.pyspark.python={cluster.python}"]
    words += ["-D", "spark.executor.memory=512m", "--checkpoint-dir", str(tmp_path / "checkpoint")]
    runs.job(*words, str(job), str(out)).succeed(limit_s=240)
    rows = [row for file in out.glob("epoch=*/*.parquet") for row in parquet.ParquetFile(file).read().to_pylist()]
    assert sorted((row["n"], row["square"]) for row in rows) == [(n, n * n) for n in range(1, 101)]
