"""DataFrames of Spark: `SparkSource` reads them, `SparkSink` hands epochs over as such. See docs/spark.md."""

from .sink import SparkSink
from .source import SparkSource

__all__ = ["SparkSink", "SparkSource"]
