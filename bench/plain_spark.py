"""The same functions as a PySpark user would write them, in a default session."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, udf

from bench.engine import durations, epoch_times
from bench.functions import WIDTH, first, keep, last
from bench.work import temporary_folder
from datastream.spark.process.java import find_java

_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def map_in_pandas(numbers: int) -> dict[str, Any]:
    """mapInPandas that calls the functions for each value of a column."""

    def stage(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            out = []
            for x in frame["id"].tolist():
                y = first(x)
                if keep(y):
                    out.append(last(y))
            yield pd.DataFrame(out, columns=["number", "low"])

    return _batch(lambda df: df.mapInPandas(stage, "number long, low long"), numbers)


def python_udf(numbers: int) -> dict[str, Any]:
    """A Python UDF for each function."""

    def plan(df: DataFrame) -> DataFrame:
        step, some = udf(first, "long"), udf(keep, "boolean")
        end = udf(last, "struct<number:long,low:long>")
        return df.select(step("id").alias("x")).where(some(col("x"))).select(end("x").alias("r"))

    return _batch(plan, numbers)


def epochs(keyed: bool, number: int, warm_up: int, records: int) -> dict[str, Any]:
    """Micro-batches of a plain query: a Python function for each row, or Spark's own count by key."""
    spark = _session()

    def stage(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield pd.DataFrame({"value": [first(x) for x in frame["value"].tolist()]})

    df = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", records)
    df = df.option("numPartitions", WIDTH).load().select("value")
    df = df.groupBy((col("value") % 1000).alias("k")).count() if keyed else df.mapInPandas(stage, "value long")
    with temporary_folder() as checkpoint:
        writer = df.writeStream.format("noop").outputMode("update" if keyed else "append")
        query = writer.option("checkpointLocation", checkpoint).start()
        while query.isActive and len(query.recentProgress) < number + warm_up:
            time.sleep(0.2)
        query.stop()
        failure = query.exception()
        if failure is not None:
            raise failure
        found = epoch_times(durations(query.recentProgress)[: number + warm_up], warm_up)
    spark.stop()
    return found


def _session() -> SparkSession:
    os.environ.setdefault("JAVA_HOME", str(Path(find_java().executable).resolve().parent.parent))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{WIDTH}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", str(WIDTH))
    builder = builder.config("spark.sql.streaming.stateStore.providerClass", _ROCKSDB)
    builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "1000")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _batch(plan: Any, numbers: int) -> dict[str, Any]:
    """Run a query over a range twice and time the second run."""
    spark = _session()
    took = 0.0
    for _ in range(2):
        df: DataFrame = plan(spark.range(0, numbers, 1, WIDTH))
        began = time.monotonic()
        df.write.format("noop").mode("overwrite").save()
        took = time.monotonic() - began
    spark.stop()
    return {"value": numbers / took, "records": numbers, "seconds": took}
