"""The Kafka cases in plain PySpark: Kafka's connector in Java, and a Python UDF."""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, get_json_object, struct, to_json, udf
from pyspark.sql.functions import max as max_
from pyspark.sql.streaming import StreamingQuery

from bench.engine import durations, parts_of
from bench.kafka_broker import topic
from bench.kafka_engine import WARM_UP
from bench.kafka_functions import change
from bench.work import temporary_folder
from datastream.spark.process.java import find_java
from tests.support.servers.jars import Artifact, installed

_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# The newest connector there is; the token provider of the same version was not published, and 4.0.0 links.
_CONNECTOR = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
)


def mapped(bootstrap: str, source: str, records: int, cores: int, arrow: bool) -> dict[str, Any]:
    """Kafka -> a Python UDF, by pickle or by Arrow -> Kafka."""
    return _run(bootstrap, source, records, cores, keyed=False, arrow=arrow)


def by_key(bootstrap: str, source: str, records: int, cores: int) -> dict[str, Any]:
    """Kafka -> groupBy(user).count() in update mode -> Kafka: all in Java, and one result a key and epoch."""
    return _run(bootstrap, source, records, cores, keyed=True, arrow=False)


def session(cores: int) -> SparkSession:
    """A default session, with the connector."""
    artifacts = tuple(Artifact(*names, transitive=False) for names in _CONNECTOR)
    jars = sorted(installed("spark-kafka-4.2.0", artifacts).glob("lib/*.jar"))
    os.environ.setdefault("JAVA_HOME", str(Path(find_java().executable).resolve().parent.parent))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.jars", ",".join(map(str, jars)))
    builder = builder.config("spark.sql.shuffle.partitions", str(cores))
    builder = builder.config("spark.sql.streaming.stateStore.providerClass", _ROCKSDB)
    builder = builder.config("spark.sql.streaming.numRecentProgressUpdates", "10000")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def start(
    spark: SparkSession,
    bootstrap: str,
    source: str,
    target: str,
    checkpoint: str,
    keyed: bool,
    arrow: bool = False,
    latency: bool = False,
    **options: Any,
) -> StreamingQuery:
    """Start the query.

    Args:
        spark: The session.
        bootstrap: The broker.
        source: Topic to read.
        target: Topic to write.
        checkpoint: Its folder.
        keyed: Count by key, where otherwise a UDF is called.
        arrow: The UDF by Arrow.
        latency: By key, the latest clock of the records, in place of a count.
        options: The source's.
    """
    reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap)
    reader = reader.option("subscribe", source).options(**options)
    df: DataFrame = reader.load()
    if keyed:
        fields = [get_json_object(col("value").cast("string"), f"$.{name}").alias(name) for name in ("user", "at")]
        groups = df.select(*fields).groupBy("user")
        results = groups.agg(max_(col("at").cast("long")).alias("at")) if latency else groups.count()
        df = results.select(to_json(struct(*results.columns)).alias("value"))
    else:
        df = df.select(udf(change, "binary", useArrow=arrow)("value").alias("value"))
    writer = df.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("topic", target)
    writer = writer.outputMode("update" if keyed else "append").option("checkpointLocation", checkpoint)
    return writer.start()


def _run(bootstrap: str, source: str, records: int, cores: int, keyed: bool, arrow: bool) -> dict[str, Any]:
    spark = session(cores)
    with topic(bootstrap) as target, temporary_folder() as checkpoint:
        query = start(
            spark,
            bootstrap,
            source,
            target,
            checkpoint,
            keyed,
            arrow=arrow,
            startingOffsets="earliest",
            maxOffsetsPerTrigger=records // 8,
        )
        while query.isActive and sum(p["numInputRows"] for p in query.recentProgress) < records:
            time.sleep(0.2)
        progress = [p for p in query.recentProgress if p["numInputRows"]]
        query.stop()
        failure = query.exception()
        if failure is not None:
            raise failure
    spark.stop()
    measured = progress[int(WARM_UP * len(progress)) :]
    took = sum(p["durationMs"]["triggerExecution"] for p in measured) / 1000
    count = sum(p["numInputRows"] for p in measured)
    return {
        "value": count / took,
        "records": count,
        "seconds": took,
        "parts": {
            "records": statistics.median(p["numInputRows"] for p in measured),
            "epoch": 1000 * took / len(measured),
            **parts_of(durations(measured)),
        },
    }
