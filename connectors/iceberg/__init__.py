"""Apache Iceberg: `IcebergSink` writes tables, exactly once; `IcebergSource` reads them. See docs/lakehouse.md."""

from .sink import IcebergSink, IcebergSinkBuilder
from .source import IcebergSource, IcebergSourceBuilder

__all__ = ["IcebergSink", "IcebergSinkBuilder", "IcebergSource", "IcebergSourceBuilder"]
