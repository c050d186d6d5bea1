"""Tables of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from datastream.table.catalogs.resolved_schema import ResolvedSchema
from datastream.table.types.type_text import summary

_CELL = "text-align: left; white-space: pre-wrap"


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table, with a line below it.

    Args:
        names: Of the columns.
        rows: The texts of their cells.
        caption: The line below; empty: none.
    """
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells) + "</tr>" for cells in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div>{table}{html_line(caption) if caption else ''}</div>"


def html_line(text: str) -> str:
    """A line of text."""
    return f"<div><small>{escape(text)}</small></div>"


def html_text(text: str) -> str:
    """A text of several lines."""
    return f"<pre>{escape(text)}</pre>"


def html_schema(schema: ResolvedSchema, plan: str) -> str:
    """The columns of a table that has not run, and how it is made.

    Args:
        schema: The columns.
        plan: The plan, for who opens it.
    """
    kinds = schema.get_column_data_types()
    rows = [(name, summary(kind)) for name, kind in zip(schema.get_column_names(), kinds, strict=True)]
    table = html_table(["column", "type"], rows, "not run: execute() shows its rows")
    return f"{table}<details><summary><small>plan</small></summary>{html_text(plan)}</details>"


def cell(text: str) -> str:
    """The text of a cell: the beginning of one that is long."""
    return text if len(text) <= 500 else f"{text[:497]}..."
