"""Columns of messages that hold rows."""

from __future__ import annotations

from datastream.table.plan.relations import Column
from datastream.table.types.data_types import DataTypes

from .format import Layout


def row_column(name: str, layout: Layout) -> Column:
    """A column whose values are rows of a layout."""
    return Column(name, DataTypes.ROW([DataTypes.FIELD(column.name, column.type) for column in layout.columns]))


def rows_column(name: str, layout: Layout) -> Column:
    """A column whose values are lists of rows of a layout."""
    return Column(name, DataTypes.ARRAY(row_column(name, layout).type))
