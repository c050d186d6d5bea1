"""Flink's SQL in tokens.

sqlglot's tokenizer finds them. It knows no keywords here, so every word is a word until the grammar wants it, and what
lies between two tokens is tested: it may only be blank or a comment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sqlglot import TokenType
from sqlglot.errors import TokenError
from sqlglot.tokens import Tokenizer

from datastream.table.plan.expressions import Position
from datastream.table.sql.errors import SqlError

_GAP = re.compile(r"(?:\s|--[^\n\r]*|/\*(?!\+).*?\*/)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: ``word``, ``name`` (in backticks), ``string``, ``unicode`` (``U&'...'``), ``bytes`` (``X'...'``),
            ``number``, ``hint``, ``symbol``, ``end``.
        text: What it says, without quotes.
        word: A word in upper case, or the symbol; empty for everything else.
        start: Where it begins in the text.
        end: Behind its last character.
        position: Where it begins, for people.
    """

    kind: str
    text: str
    word: str
    start: int
    end: int
    position: Position


class _FlinkTokenizer(Tokenizer):
    IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`"]
    QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
    STRING_ESCAPES: ClassVar[list[str]] = ["'"]
    HEX_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("x'", "'"), ("X'", "'")]
    UNICODE_STRINGS: ClassVar[list[str | tuple[str, str]]] = [("U&'", "'"), ("u&'", "'")]
    KEYWORDS: ClassVar[dict[str, TokenType]] = {
        "<>": TokenType.NEQ,
        "!=": TokenType.NEQ,
        "<=": TokenType.LTE,
        ">=": TokenType.GTE,
        "=>": TokenType.FARROW,
        "||": TokenType.DPIPE,
        "/*+": TokenType.HINT,
    }
    COMMANDS: ClassVar[set[TokenType]] = set()
    TOKENS_PRECEDING_HINT: ClassVar[set[TokenType]] = {TokenType.VAR, TokenType.IDENTIFIER}


_KINDS = {
    TokenType.VAR: "word",
    TokenType.IDENTIFIER: "name",
    TokenType.STRING: "string",
    TokenType.UNICODE_STRING: "unicode",
    TokenType.HEX_STRING: "bytes",
    TokenType.NUMBER: "number",
    TokenType.HINT: "hint",
}


def tokenize(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The tokens of a text, or of a part of it, and one of kind ``end`` behind them.

    Raises:
        SqlError: Something in it is no token.
    """
    return list(_Scan(text, start, len(text) if end is None else end).tokens())


class _Scan:
    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._lines = [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]

    def tokens(self) -> Iterator[Token]:
        tokenizer = _FlinkTokenizer()
        try:
            found, failed = tokenizer.tokenize(self._text[self._start : self._end]), False
        except TokenError:
            found, failed = tokenizer.tokens, True
        behind, last = self._start, ""
        for each in found:
            start, end = each.start + self._start, each.end + self._start + 1
            self._test_gap(behind, start)
            kind = _KINDS.get(each.token_type, "symbol")
            raw = self._text[start:end]
            if kind == "bytes" and "'" not in raw:
                raise self._error("expected a number; bytes are written X'4d'", start)
            if kind == "number" and raw[-1] not in "0123456789.":
                raise self._error(f"{raw} is no number", start)
            if kind == "word" and last == "number" and start == behind:
                raise self._error("a name does not begin with a digit; put it in backticks", start)
            if kind == "symbol" and each.text in ("'", '"') or each.token_type is TokenType.NATIONAL_STRING:
                raise self._error("text stands in single quotes, a name in backticks", start)
            word = raw.upper() if kind == "word" else raw if kind == "symbol" else ""
            yield Token(kind, each.text, word, start, end, self._position(start))
            behind, last = end, kind
        if failed:
            match = _GAP.match(self._text, behind, self._end)
            start = match.end() if match else behind
            what = self._text[start : start + 1]
            closing = {"`": "`", "/": "*/"}.get(what, "'")
            raise self._error(f"expected a closing {closing}, found the end of the text", start)
        self._test_gap(behind, self._end)
        yield Token("end", "", "", self._end, self._end, self._position(self._end))

    def _test_gap(self, start: int, end: int) -> None:
        if start == end or self._text[start:end] == " ":
            return
        match = _GAP.match(self._text, start, end)
        if match is None or match.end() != end:
            at = match.end() if match else start
            if self._text.startswith("/*+", at):
                raise self._error("a hint stands behind SELECT or the name of a table", at)
            raise self._error("expected a closing */" if self._text.startswith("/*", at) else "unexpected text", at)

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._lines, offset)
        return Position(line, offset - self._lines[line - 1] + 1)

    def _error(self, message: str, offset: int) -> SqlError:
        position = self._position(offset)
        return SqlError(message, self._text, position.line, position.column)
