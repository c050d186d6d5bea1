# ruff: noqa: SLF001 - PySpark has no public names for what is here.
"""The objects of Java that PySpark's own work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


def java_classes(spark: SparkSession) -> Any:
    """All classes of a session's Java, by their names."""
    return spark._jvm


def java_session(spark: SparkSession) -> Any:
    """The session."""
    return spark._jsparkSession


def java_context(spark: SparkSession) -> Any:
    """The context; None: it has been stopped."""
    return spark.sparkContext._jsc


def java_query(query: StreamingQuery) -> Any:
    """The query."""
    return query._jsq


def state_client(handle: Any) -> Any:
    """What a `StatefulProcessorHandle` speaks to Java by."""
    return handle._statefulProcessorApiClient


def jvm() -> Any:
    """All classes of the process's Java, by their names."""
    from pyspark import SparkContext

    return SparkContext._jvm


def java_gateway() -> Any:
    """The process's connection to Java; None: there is none."""
    from pyspark import SparkContext

    return SparkContext._gateway


def start_gateway(connection: Any) -> None:
    """Let PySpark work with a connection to Java."""
    from pyspark import SparkContext

    context: Any = SparkContext
    context._ensure_initialized(gateway=connection)


def forget_java(spark: SparkSession) -> None:
    """Drop PySpark's own references: Java is about to be ended, so it must not be called any more."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context: Any = spark.sparkContext
    context._jsc = None
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkSession._instantiatedSession = None
