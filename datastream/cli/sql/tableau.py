"""Results as Flink's SQL client prints them in its mode ``tableau``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from datastream.table.results.cell_text import cell_text
from datastream.table.results.printing import border_line, table_line, type_widths, width, without_controls
from datastream.table.results.table_result import OpenRows

from .display import Display


def print_tableau(opened: OpenRows, display: Display, cancelled: Callable[[], bool]) -> None:
    """Print the rows of a query: as they come in streaming mode, all at its end in batch mode.

    On a terminal, control characters in values are escaped.

    Args:
        opened: The rows.
        display: How.
        cancelled: Whether the query was cancelled.
    """
    texts = [cell_text(kind, opened.zone) for kind in opened.kinds]
    shown = without_controls if sys.stdout.isatty() else str
    rows = (
        (str(kind), [shown(text(value)) for text, value in zip(texts, values, strict=True)])
        for kind, values in opened.rows
    )
    if display.streaming:
        widths = [2, *type_widths(opened.names, opened.kinds, display.max_width)]
        border = border_line(widths)
        _write(border + table_line(["op", *opened.names], widths) + border)
        count = 0
        for op, cells in rows:
            _write(table_line([op, *cells], widths))
            count += 1
        ended = "Received a total of"
        if count:
            _write(border)
    else:
        found = [cells for _, cells in rows]
        count = len(found)
        if not cancelled():
            _print_all(opened.names, found, display)
            return
    if cancelled():
        ended = "Query terminated, received a total of"
    _write(f"{ended} {_rows(count)}{_time(display)}\n")


def _print_all(names: list[str], rows: list[list[str]], display: Display) -> None:
    if not rows:
        _write(f"Empty set{_time(display)}\n")
        return
    needed = (max(map(width, column)) for column in zip(names, *rows, strict=True))
    widths = [min(each, display.max_width) for each in needed]
    border = border_line(widths)
    lines = "".join(table_line(cells, widths) for cells in rows)
    _write(f"{border}{table_line(names, widths)}{border}{lines}{border}{_rows(len(rows))} in set{_time(display)}\n")


def _rows(count: int) -> str:
    return f"{count} row{'s' if count > 1 else ''}"


def _time(display: Display) -> str:
    return f" ({time.monotonic() - display.began:.2f} seconds)" if display.with_time else ""


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
