"""Texts into fields: the definition of what a record is, in Python.

The standard library's reader does the same much faster, and does almost all of the work (see `splitting`). This
parser decides where that one gives up, has limits, or does not tell enough: errors, fields of more than 128 KiB,
escaped control characters, and a null literal in quotes.
"""

from __future__ import annotations

import re

from datastream.errors import FormatError, cut

from .columns import Quoted
from .options import COMMENT, LETTERS, CsvOptions

_LINE_END = re.compile("[\r\n]")


class Incomplete(Exception):
    """The text ends inside a quoted field or after an escape character."""


class Misplaced(FormatError):
    """A quoted field goes on after its quote.

    Attributes:
        at: Where in the text.
    """

    at = 0


class Parser:
    """Parses one record after the other.

    A field is quoted when its first character is the quote; inside, a quote is doubled or escaped. Outside, a
    quote stands for itself. A record ends with LF, CR or CR LF outside quotes, or with the text. A blank line
    has no fields.
    """

    def __init__(self, options: CsvOptions, mark: str | None) -> None:
        """Make a parser.

        Args:
            options: The dialect.
            mark: The null literal where it makes a difference whether it is quoted: then it comes as `Quoted`.
        """
        self._delimiter, self._quote, self._escape = options.delimiter, options.quote, options.escape
        self._comments = options.comments
        self._mark = mark
        self._plain = _until(options.delimiter, options.escape, "\r", "\n")
        self._inside = _until(options.quote, options.escape)

    def message(self, text: str) -> list[str] | None:
        """The fields of a text that is one record; None: it is a comment.

        Raises:
            FormatError: it is not one record.
        """
        start = self.skip_comments(text, 0)
        if start and start == len(text):
            return None
        try:
            fields, end = self.record(text, start)
        except Incomplete as error:
            raise FormatError(str(error)) from None
        if text[end:].strip("\r\n"):
            raise FormatError(f"expected one record, found a second one after its line end: {cut(text[end:])}")
        return fields

    def skip_comments(self, text: str, start: int) -> int:
        """Where the first line begins, from a line's start on, that is no comment."""
        if self._comments:
            while text.startswith(COMMENT, start):
                start = _behind_line_end(text, _end(_LINE_END, text, start))
        return start

    def record(self, text: str, start: int, last: bool = True) -> tuple[list[str], int]:
        """The fields of the record that starts there, and where the next one starts.

        Args:
            text: The text.
            start: An index before its end.
            last: Whether the text goes no further, so that its end is a record's.

        Raises:
            Incomplete: the text ends before the record does.
            FormatError: it is not a record.
        """
        fields: list[str] = []
        at = start
        if at == len(text) or text[at] in "\r\n":
            return fields, _behind_line_end(text, at)
        while True:
            quoted = text[at : at + 1] == self._quote is not None
            field, at = self._quoted(text, at + 1) if quoted else self._unquoted(text, at)
            fields.append(field)
            if at == len(text) and not last:
                raise Incomplete("a line is not ended")
            if at == len(text) or text[at] != self._delimiter:
                return fields, _behind_line_end(text, at)
            at += 1

    def next_line(self, text: str, at: int) -> int:
        """Where the line after the one of an index begins."""
        return _behind_line_end(text, _end(_LINE_END, text, at))

    def _unquoted(self, text: str, at: int) -> tuple[str, int]:
        parts = []
        while True:
            end = _end(self._plain, text, at)
            parts.append(text[at:end])
            if end == len(text) or text[end] != self._escape:
                return "".join(parts), end
            parts.append(self._escaped(text, end + 1))
            at = end + 2

    def _quoted(self, text: str, at: int) -> tuple[str, int]:
        parts = []
        while True:
            end = _end(self._inside, text, at)
            parts.append(text[at:end])
            if end == len(text):
                raise Incomplete("a quoted field is not closed")
            at = end + 2
            if text[end] == self._escape:
                parts.append(self._escaped(text, end + 1))
            elif text[end + 1 : at] == self._quote:
                parts.append(text[end])
            else:
                break
        behind = text[end + 1 : end + 2]
        if behind and behind not in (self._delimiter, "\r", "\n"):
            found = cut(text[end + 1 : end + 31])
            error = Misplaced(f"expected the delimiter {self._delimiter!r} after a quoted field, found {found}")
            error.at = end + 1
            raise error
        field = "".join(parts)
        return (Quoted(field) if field == self._mark else field), end + 1

    def _escaped(self, text: str, at: int) -> str:
        if at == len(text):
            raise Incomplete(f"the escape character {self._escape!r} has nothing after it")
        return LETTERS.get(text[at], text[at])


def _until(*characters: str | None) -> re.Pattern[str]:
    found = "".join(re.escape(c) for c in characters if c is not None)
    return re.compile(f"[{found}]" if found else r"\Z")


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.search(text, at)
    return len(text) if found is None else found.start()


def _behind_line_end(text: str, at: int) -> int:
    return at + (2 if text.startswith("\r\n", at) else at < len(text))
