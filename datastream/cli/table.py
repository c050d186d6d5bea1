"""Tables of text."""

from __future__ import annotations

from collections.abc import Sequence

import click


def write_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Columns as wide as they need to be."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head) - 1)]
    for line in lines:
        click.echo("  ".join([*(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=False)), line[-1]]))
