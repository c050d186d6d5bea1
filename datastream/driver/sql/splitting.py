"""A text of SQL in statements, also while it is being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A quote inside quotes is written twice. A hint, /*+ ... */, is a part of its statement.
_PART = re.compile(
    r"""
    (?P<gap>    (?: \s | (?:--|//)[^\n\r]* | /\*(?!\+).*?\*/ )+ )
    | (?P<quoted> '[^']*(?:''[^']*)*'(?!') | `[^`]*(?:``[^`]*)*`(?!`) )
    | (?P<open>   ['`] | /\*(?!\+) )
    | (?P<word>   \w[\w$]* )
    | (?P<symbol> . )
    """,
    re.DOTALL | re.VERBOSE,
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_BLOCK = ["STATEMENT", "SET", "BEGIN"]


@dataclass(frozen=True)
class Statement:
    """A statement of a text.

    Attributes:
        text: Without the semicolon, and without comments before and after it.
        words: The words that it begins with, in upper case, up to the first symbol or text in quotes.
        line: Where it begins in the text, from 1.
        column: The same.
    """

    text: str
    words: tuple[str, ...]
    line: int
    column: int

    @property
    def placed(self) -> str:
        """The text after blank lines and columns, so that errors name its lines and columns in the whole text."""
        return "\n" * (self.line - 1) + " " * (self.column - 1) + self.text

    def begins(self, *words: str) -> bool:
        """Whether these are its first words."""
        return self.words[: len(words)] == words

    def is_only(self, *words: str) -> bool:
        """Whether these words are all of it."""
        return self.words == words and len(self.text.split()) == len(words)


def split(source: str) -> tuple[list[Statement], Statement | None]:
    """The statements of a text that end with a semicolon, and what follows the last of them, if there is anything.

    The INSERTs of EXECUTE STATEMENT SET BEGIN ... END are a part of that statement. Those between BEGIN STATEMENT SET
    and END are statements.
    """
    scan = _Scan(source)
    for found in _PART.finditer(source):
        if found.lastgroup == "open":
            scan.begin(found.start())
            scan.end = len(source.rstrip())
            break
        if found.lastgroup != "gap":
            scan.take(str(found.lastgroup), found[0], found.start(), found.end())
    return scan.found, scan.rest()


class _Scan:
    def __init__(self, source: str) -> None:
        self._source = source
        self.found: list[Statement] = []
        self._line, self._line_start = 1, 0
        self._reset()

    def _reset(self) -> None:
        self._start: int | None = None
        self.end = 0
        self._words: list[str] = []
        self._leading = True
        self._last: list[str] = []
        self._in_block = False
        self._cases = 0

    def begin(self, start: int) -> None:
        """The statement begins here, unless it has begun."""
        if self._start is None:
            self._start = start

    def take(self, kind: str, text: str, start: int, end: int) -> None:
        if text == ";" and not self._in_block:
            if self._start is not None:
                self.found.append(self._statement(self._start))
            self._reset()
            return
        self.begin(start)
        self.end = end
        if kind != "word":
            self._leading = False
            self._last = []
            return
        word = text.upper()
        if self._leading:
            self._words.append(word)
        self._last = [*self._last[-2:], word]
        if self._last == _BLOCK:
            self._in_block = True
        elif self._in_block and word == "CASE":
            self._cases += 1
        elif self._in_block and word == "END":
            # Of the block, unless it is that of a CASE.
            if self._cases:
                self._cases -= 1
            else:
                self._in_block = False

    def rest(self) -> Statement | None:
        """What no semicolon has ended; None: nothing."""
        return None if self._start is None else self._statement(self._start)

    def _statement(self, start: int) -> Statement:
        for ended in _LINE_END.finditer(self._source, self._line_start, start):
            self._line += 1
            self._line_start = ended.end()
        text = self._source[start : self.end]
        return Statement(text, tuple(self._words), self._line, start - self._line_start + 1)
