"""Tables of Delta Lake: `DeltaSink` writes them, exactly once; `DeltaSource` reads them. See docs/lakehouse.md."""

from .sink import DeltaSink, DeltaSinkBuilder
from .source import DeltaSource, DeltaSourceBuilder

__all__ = ["DeltaSink", "DeltaSinkBuilder", "DeltaSource", "DeltaSourceBuilder"]
