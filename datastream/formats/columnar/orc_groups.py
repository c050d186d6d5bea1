"""Stripes of ORC files."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow import orc

from datastream.formats.columnar.batches import GroupWriter
from datastream.types import TypeInformation


class _Abandonable(orc.ORCWriter):  # type: ignore[misc]
    """A writer that does not write the file's end when it is dropped: the stream may be closed, the file gone."""

    def __del__(self) -> None:
        pass


class OrcGroups(GroupWriter):
    """Writes stripes to a stream; ORC's writer decides where one ends.

    Args:
        stream: Stays open.
        schema: Of the batches.
        options: Of pyarrow's writer.
    """

    def __init__(self, stream: Any, schema: Any, options: dict[str, Any]) -> None:
        self._schema = schema
        self._writer = _Abandonable(stream, **options)
        # The schema is written with the first table: a file without rows has one too.
        self._writer.write(schema.empty_table())

    def write(self, batches: list[Any]) -> None:
        self._writer.write(pa.Table.from_batches(batches, self._schema))

    def close(self) -> None:
        self._writer.close()


def in_nanoseconds(arrow: Any, kind: TypeInformation) -> Any:
    """Every timestamp as pyarrow reads it of ORC, so that one out of its range is found when it is written."""
    return pa.timestamp("ns", tz=arrow.tz) if pa.types.is_timestamp(arrow) else arrow
