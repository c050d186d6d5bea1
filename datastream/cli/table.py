"""Tables of text."""

from __future__ import annotations

from collections.abc import Sequence

import click


def write_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Columns as wide as they need to be."""
    for line in table_lines(head, rows):
        click.echo(line)


def table_lines(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The lines of a table with columns as wide as they need to be."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head) - 1)]
    return [
        "  ".join([*(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False)), line[-1]])
        for line in lines
    ]
