"""The tables that `TableResult.print` writes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO
from unicodedata import east_asian_width

from datastream.table.types.logical_types import DataType
from datastream.table.types.type_traits import traits_of

#: How wide a column of a type without a width of its own is.
MAX_WIDTH = 30
_NULL = len("<NULL>")
_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160))}


def print_rows(
    names: Sequence[str], rows: Iterable[Sequence[str]], widths: Sequence[int] | None = None, out: TextIO | None = None
) -> None:
    """Write a table, row by row where the widths are given.

    Args:
        names: Of the columns.
        rows: The texts of their cells.
        widths: Of the columns; longer texts are cut. Default: as wide as what is in them.
        out: Default: standard output.
    """
    write = (out or sys.stdout).write
    lines: Iterator[Sequence[str]] = iter(rows)
    first = next(lines, None)
    if first is None:
        write("Empty set\n")
        return
    if widths is None:
        known = [first, *lines]
        lines, first = iter(known[1:]), known[0]
        widths = [max(map(width, (name, *cells))) for name, *cells in zip(names, *known, strict=True)]
    border = border_line(widths)
    write(border + table_line(names, widths) + border + table_line(first, widths))
    count = 1
    for cells in lines:
        write(table_line(cells, widths))
        count += 1
    write(f"{border}{count} row{'s' if count > 1 else ''} in set\n")


def type_widths(names: Sequence[str], kinds: Sequence[DataType], most: int = MAX_WIDTH) -> list[int]:
    """How wide columns are, by their types.

    Args:
        names: Of the columns, which they are at least as wide as.
        kinds: Their types.
        most: Of a type whose texts may have any length.
    """
    return [max(width(name), _NULL, traits_of(kind).width() or most) for name, kind in zip(names, kinds, strict=True)]


def width(text: str) -> int:
    """How many columns of a terminal a text takes, as Flink counts: one more for each half of a character in UTF-16."""
    if text.isascii():
        return len(text)
    return sum((2 if east_asian_width(each) in "WF" else 1) + (each > "\uffff") for each in text)


def without_controls(text: str) -> str:
    """A text for a terminal: control characters, which would change colours or lines, as Python escapes them."""
    return text if text.isprintable() else text.translate(_CONTROLS)


def border_line(widths: Sequence[int]) -> str:
    """The line above and below the names of the columns, and at the end."""
    return "+" + "+".join("-" * (each + 2) for each in widths) + "+\n"


def table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """A row's line; texts that are too long are cut."""
    return "|" + "|".join(f" {_cell(text, width)} " for text, width in zip(cells, widths, strict=True)) + "|\n"


def _cell(text: str, most: int) -> str:
    needed = width(text)
    if needed > most:
        kept = ""
        for each in text:
            if width(kept + each) > most - 3:
                break
            kept += each
        text = kept + "..."
        needed = width(text)
    return " " * (most - needed) + text
