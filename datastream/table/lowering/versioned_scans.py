"""Watermarks of tables whose rows replace each other: made of the rows as they are read, by the parts of the source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datastream.table.plan.expression_trees import replace_fields
from datastream.table.plan.expressions import Expression, Field
from datastream.table.plan.relations import Column, Project, Relation, Scan, StreamScan, Watermark


@dataclass(frozen=True)
class UpsertRows:
    """What a watermark is declared over, where that is rows that replace each other.

    Attributes:
        rows: The scan.
        steps: Projections above it, the last one first.
        expressions: Of the columns below the watermark, over the scan's.
    """

    rows: Scan | StreamScan
    steps: tuple[Project, ...]
    expressions: tuple[Expression, ...]


def upsert_rows(relation: Watermark, upsert_key: Callable[[Any], Sequence[Column]]) -> UpsertRows | None:
    """The rows below a watermark; None: they do not replace each other."""
    steps: list[Project] = []
    below = relation.input
    while isinstance(below, Project):
        steps.append(below)
        below = below.input
    if not isinstance(below, Scan | StreamScan) or below.versions:
        return None
    if not (below.upserts if isinstance(below, StreamScan) else upsert_key(below)):
        return None
    made: tuple[Expression, ...] = tuple(_fields(below.columns))
    for step in reversed(steps):
        made = tuple(replace_fields(each, made) for each in step.expressions)
    return UpsertRows(below, tuple(steps), made)


def with_place(relation: Watermark, rows: UpsertRows, below: Relation, place: int) -> Watermark:
    """The watermark over rows of the scan.

    Args:
        relation: The watermark as it is declared.
        rows: What it is over.
        below: The rows, with a column for the time.
        place: Of that column.
    """
    column = below.columns[place]
    time = Field(place, column.name, type=column.type)
    by = tuple(time if i == relation.column else each for i, each in enumerate(rows.expressions))
    return Watermark(below, place, replace_fields(relation.expression, by), columns=below.columns)


def on_top(rows: UpsertRows, below: Relation) -> Relation:
    """The projections above the scan, over its rows, which may have more columns."""
    made = below
    if not rows.steps and len(below.columns) > len(rows.rows.columns):
        return Project(below, tuple(_fields(rows.rows.columns)), columns=rows.rows.columns)
    for step in reversed(rows.steps):
        made = replace(step, input=made)
    return made


def _fields(columns: Sequence[Column]) -> list[Field]:
    return [Field(i, column.name, type=column.type) for i, column in enumerate(columns)]
