"""Flink's SQL in tokens.

Every word is a word until the grammar wants it: there are no keywords here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from datastream.table.plan.expressions import Position
from datastream.table.sql.errors import SqlError


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: ``word``, ``name`` (in backticks), ``string``, ``unicode`` (``U&'...'``), ``bytes`` (``X'...'``),
            ``number``, ``hint``, ``symbol``, ``end``.
        text: What it says, without quotes.
        word: A word in upper case, or the symbol; empty for everything else.
        start: Where it begins in the text.
        end: After its last character.
        position: Where it begins, for people.
    """

    kind: str
    text: str
    word: str
    start: int
    end: int
    position: Position


#: A quote inside quotes is written twice; one that nothing closes is no token, whatever stands in it.
_QUOTED = r"'[^']*(?:''[^']*)*'(?!')"
_NAME = r"`[^`]*(?:``[^`]*)*`(?!`)"
_TOKEN = re.compile(
    rf"""
    (?P<gap>    (?: \s | (?:--|//)[^\n\r]* | /\*(?!\+).*?\*/ )+ )
    | (?P<bytes>   [xX]{_QUOTED} )
    | (?P<unicode> [uU]&{_QUOTED} )
    | (?P<string>  {_QUOTED} )
    | (?P<name>    {_NAME} )
    | (?P<hint>    /\*\+ (?: [^'`*]++ | {_QUOTED} | {_NAME} | \*(?!/) )*+ \*/ )
    | (?P<number>  [0-9]+ (?:\.[0-9]*)? (?:[eE][+-]?[0-9]+)? )
    | (?P<word>    (?![xXnN]'|[uU]&') (?:[^\W0-9]|\$) [\w$]* )
    | (?P<symbol>  <> | != | <= | >= | => | \|\| | (?!/\*) [-()\[\]{{}}<>=+*/%,.;:?|!&^~@\#\\] )
    """,
    re.DOTALL | re.VERBOSE,
)
#: Characters before what stands in quotes, and the quote.
_QUOTES = {"bytes": (2, "'"), "unicode": (3, "'"), "string": (1, "'"), "name": (1, "`")}
#: A hint up to its end, or to a quote that nothing closes.
_IN_HINT = re.compile(rf"/\*\+(?:[^'`*]++|{_QUOTED}|{_NAME}|\*(?!/))*+", re.DOTALL)
_REST_OF_WORD = re.compile(r"[\w$]+")
_UNCLOSED = re.compile(r"(?:[xX]|[uU]&)?(')|(`)|/(\*)")


def tokenize(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a text, or of a part of it, and one of kind ``end`` after them.

    Raises:
        SqlError: Something in it is no token.
    """
    return list(_Scan(text, start, len(text) if end is None else end).tokens())


class _Scan:
    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._lines = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]

    def tokens(self) -> Iterator[Token]:
        end, before = self._start, ""
        while end < self._end:
            start = end
            match = _TOKEN.match(self._text, start, self._end)
            if match is None:
                raise self._no_token(start)
            kind, text, end = str(match.lastgroup), match[0], match.end()
            if kind == "gap":
                continue
            if kind == "hint" and before not in ("word", "name"):
                raise self._error("a hint is allowed only after SELECT or the name of a table", start)
            if kind == "number" and (rest := _REST_OF_WORD.match(self._text, end, self._end)):
                raise self._no_number(text, rest[0], start)
            word = text.upper() if kind == "word" else text if kind == "symbol" else ""
            if kind in _QUOTES:
                opening, quote = _QUOTES[kind]
                text = text[opening:-1].replace(quote * 2, quote)
            yield Token(kind, text, word, start, end, self._position(start))
            before = kind
        yield Token("end", "", "", end, end, self._position(end))

    def _no_number(self, text: str, rest: str, start: int) -> SqlError:
        if text == "0" and rest[0] in "xX":
            return self._error("expected a number; bytes are written X'4d'", start)
        if rest in ("e", "E"):
            return self._error(f"{text}{rest} is no number", start)
        return self._error("a name does not begin with a digit; put it in backticks", start + len(text))

    def _no_token(self, start: int) -> SqlError:
        unclosed = _UNCLOSED.match(self._text, start, self._end)
        if unclosed is None:
            if self._text[start] in '"nN':
                return self._error("use single quotes for strings and backticks for names", start)
            return self._error("unexpected text", start)
        if unclosed[3] and not self._text.startswith("/*+", start):
            return self._error("expected a closing */", start)
        if unclosed[3] and (inside := _IN_HINT.match(self._text, start, self._end)) and inside.end() < self._end:
            return self._no_token(inside.end())  # a quote that nothing closes
        closing = unclosed[1] or unclosed[2] or "*/"
        return self._error(f"expected a closing {closing}, found the end of the text", start)

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset)
        return Position(line, offset - self._lines[line - 1] + 1)

    def _error(self, message: str, offset: int) -> SqlError:
        position = self._position(offset)
        return SqlError(message, self._text, position.line, position.column)
