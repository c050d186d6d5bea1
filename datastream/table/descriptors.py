"""`Rowtime` and the older `Schema` of descriptors, which nothing takes any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.errors import UnsupportedOperation
from datastream.table.logical_types import DataType
from datastream.table.table_schema import TableSchema

_INSTEAD = "no method takes it, in Flink as here: use Schema.new_builder() of pyflink.table, with watermark(...)"


class Rowtime:
    """Event time of the older descriptors."""

    def __init__(self) -> None:
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def timestamps_from_field(self, field_name: str) -> Rowtime:
        """Take it from a field."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def timestamps_from_source(self) -> Rowtime:
        """Take it from the source."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def timestamps_from_extractor(self, extractor: str) -> Rowtime:
        """Take it from a class of Java."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def watermarks_periodic_ascending(self) -> Rowtime:
        """Times ascend."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def watermarks_periodic_bounded(self, delay: int) -> Rowtime:
        """Times are late by so many ms at most."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def watermarks_from_source(self) -> Rowtime:
        """Take watermarks from the source."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")

    def watermarks_from_strategy(self, strategy: str) -> Rowtime:
        """Take watermarks from a class of Java."""
        raise UnsupportedOperation(f"Rowtime: {_INSTEAD}")


class Schema:
    """Columns of the older descriptors."""

    def __init__(
        self,
        schema: TableSchema | None = None,
        fields: Mapping[str, DataType | str] | None = None,
        rowtime: Rowtime | None = None,
    ) -> None:
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def schema(self, table_schema: TableSchema) -> Schema:
        """Set all columns."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def field(self, field_name: str, field_type: DataType | str) -> Schema:
        """Add a column."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def fields(self, fields: Mapping[str, DataType | str]) -> Schema:
        """Add columns."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def from_origin_field(self, origin_field_name: str) -> Schema:
        """Take the last column from a field of another name."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def proctime(self) -> Schema:
        """Make the last column the machine's time."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")

    def rowtime(self, rowtime: Any) -> Schema:
        """Make the last column event time."""
        raise UnsupportedOperation(f"pyflink.table.descriptors.Schema: {_INSTEAD}")
