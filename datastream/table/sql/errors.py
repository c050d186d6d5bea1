"""The error of SQL text that cannot be read."""

from __future__ import annotations

from datastream.errors import ValidationError

_WIDEST = 300


class SqlError(ValidationError):
    """SQL text is wrong, or uses something that is not known here.

    The message gives line and column, what was expected and found, and shows the line with a caret below the place.

    Args:
        message: What is wrong.
        text: The whole text.
        line: From 1.
        column: From 1.

    Attributes:
        message: Without the place.
        line: From 1.
        column: From 1.
    """

    def __init__(self, message: str, text: str, line: int, column: int) -> None:
        self.message, self.line, self.column = message, line, column
        self._text = text
        super().__init__(f"line {line}, column {column}: {message}\n{pointed(text, line, column)}")

    def __reduce__(self) -> tuple[type[SqlError], tuple[str, str, int, int]]:
        return SqlError, (self.message, self._text, self.line, self.column)


def pointed(text: str, line: int, column: int) -> str:
    """A line of a text, and a caret below one of its columns; both numbers from 1.

    Of a line that is longer than `_WIDEST` the part around the column is shown.
    """
    lines = text.split("\n")
    shown = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    if len(shown) > _WIDEST:
        first = max(column - 1 - _WIDEST // 2, 0)
        end = first + _WIDEST
        before, after = "..." if first else "", "..." if end < len(shown) else ""
        shown, column = f"{before}{shown[first:end]}{after}", column - first + len(before)
    # A tab stays a tab, so that the caret stands below its place however wide tabs are.
    blank = "".join("\t" if each == "\t" else " " for each in shown[: column - 1])
    blank += " " * (column - 1 - len(blank))
    return f"  {shown}\n  {blank}^"
