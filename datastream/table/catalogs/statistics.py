"""`CatalogTableStatistics` and `CatalogColumnStatistics`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class CatalogTableStatistics:
    """Statistics of a table or partition; -1: not known.

    Args:
        row_count: Rows.
        field_count: Files.
        total_size: Bytes.
        raw_data_size: Bytes before compression.
        properties: By key.
    """

    def __init__(
        self,
        row_count: int | None = None,
        field_count: int | None = None,
        total_size: int | None = None,
        raw_data_size: int | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        given = (row_count, field_count, total_size, raw_data_size)
        self._figures = [-1 if each is None else each for each in given]
        self._properties = dict(properties or {})

    def get_row_count(self) -> int:
        """Rows."""
        return self._figures[0]

    def get_field_count(self) -> int:
        """Files."""
        return self._figures[1]

    def get_total_size(self) -> int:
        """Bytes."""
        return self._figures[2]

    def get_raw_data_size(self) -> int:
        """Bytes before compression."""
        return self._figures[3]

    def get_properties(self) -> dict[str, str]:
        """By key."""
        return dict(self._properties)

    def copy(self) -> CatalogTableStatistics:
        """The same as another object."""
        rows, files, size, raw = self._figures
        return CatalogTableStatistics(rows, files, size, raw, self._properties)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogTableStatistics) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self._figures))


class CatalogColumnStatistics:
    """Statistics of columns.

    Args:
        column_statistics_data: Column -> its statistics.
        properties: By key.
    """

    def __init__(
        self, column_statistics_data: Mapping[str, Any] | None = None, properties: Mapping[str, str] | None = None
    ) -> None:
        self._data, self._properties = dict(column_statistics_data or {}), dict(properties or {})

    def get_column_statistics_data(self) -> dict[str, Any]:
        """Column -> its statistics."""
        return dict(self._data)

    def get_properties(self) -> dict[str, str]:
        """By key."""
        return dict(self._properties)

    def copy(self) -> CatalogColumnStatistics:
        """The same as another object."""
        return CatalogColumnStatistics(self._data, self._properties)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CatalogColumnStatistics) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self._data))
