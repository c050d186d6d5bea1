"""A place in the tokens of a text, and what every part of the grammar does there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TypeVar

from datastream.table.plan.expressions import Position
from datastream.table.sql.errors import SqlError
from datastream.table.sql.literals import unescape_unicode
from datastream.table.sql.tokens import Token, tokenize

T = TypeVar("T")

_KEYWORDS = (
    "ALL AND ANY ARRAY AS BETWEEN BY CASE CAST CREATE CROSS CUBE DELETE DESCRIBE DISTINCT DROP ELSE END "
    "ESCAPE EXCEPT EXISTS EXPLAIN FALSE FETCH FILTER FOR FROM FULL GROUP GROUPING HAVING IN INNER INSERT "
    "INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT MATCH_RECOGNIZE MINUS NATURAL NOT NULL "
    "OFFSET ON OR ORDER OUTER OVER PARTITION RIGHT ROLLUP ROW ROWS SELECT SET SIMILAR SOME TABLE "
    "TABLESAMPLE THEN TRUE TRY_CAST UNION UNKNOWN UNNEST UPDATE USING VALUES WHEN WHERE WINDOW WITH "
    "WITHIN"
)
#: Words that are no names unless they stand in backticks.
RESERVED = frozenset(_KEYWORDS.split())


class Refusal(Exception):
    """A statement that Flink knows and that is not supported here; `parse` makes a `Refused` of it."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what)
        self.what, self.reason = what, reason


class Cursor:
    """Reads tokens from left to right.

    Words that were looked for in vain where it stands are kept, for the error.

    Args:
        text: The text.
        start: Where to begin.
        end: Where to stop. Default: at the end of the text.
    """

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.text = text
        self.tokens = tokenize(text, start, end)
        self.index = 0
        self._sought: dict[str, None] = {}
        self._sought_at = 0

    @property
    def token(self) -> Token:
        """What comes next."""
        return self.tokens[self.index]

    @property
    def position(self) -> Position:
        """Where that is."""
        return self.token.position

    def ahead(self, count: int = 1) -> Token:
        """What comes after that; the end of the text where there is nothing."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Take the next token."""
        token = self.token
        if token.kind != "end":
            self.index += 1
        return token

    def at(self, *words: str) -> bool:
        """Whether these words and symbols come next."""
        return all(self.ahead(index).word == word for index, word in enumerate(words))

    def accept(self, *words: str) -> bool:
        """Take these words and symbols, if they come next."""
        if self.at(*words):
            self.index += len(words)
            return True
        self.seek(" ".join(words))
        return False

    def accept_one(self, *words: str) -> str | None:
        """Take one of these words or symbols, if one comes next."""
        return next((word for word in words if self.accept(word)), None)

    def need(self, *words: str) -> None:
        """Take these words and symbols.

        Raises:
            SqlError: Something else comes next.
        """
        for word in words:
            if not self.accept(word):
                raise self.wrong()

    def need_one(self, *words: str) -> str:
        """Take one of these words."""
        found = self.accept_one(*words)
        if found is None:
            raise self.wrong()
        return found

    def seek(self, what: str) -> None:
        """Keep what would be right here."""
        if self._sought_at != self.index:
            self._sought, self._sought_at = {}, self.index
        self._sought[what] = None

    @property
    def sought(self) -> list[str]:
        """What was looked for in vain here."""
        return list(self._sought) if self._sought_at == self.index else []

    def wrong(self, expected: str | None = None) -> SqlError:
        """The error for what comes next.

        Args:
            expected: What should. Default: all that was looked for.
        """
        token = self.token
        sought = self.sought
        wanted = [expected] if expected else sought
        found = "the end of the text" if token.kind == "end" else self.text[token.start : token.end].split("\n")[0]
        starts = {each.partition(" ")[0]: each for each in sought if each.replace(" ", "").isalpha()}
        near = get_close_matches(token.word, starts, 1, 0.65) if token.word and token.word not in starts else []
        text = f"expected {_listed(wanted)}, found {_quoted(found)}" if wanted else f"unexpected {_quoted(found)}"
        if near:
            text += f"; did you mean {starts[near[0]]}?"
        return self.error(text)

    def error(self, message: str, position: Position | None = None) -> SqlError:
        """An error at a place. Default: at what comes next."""
        position = position or self.position
        return SqlError(message, self.text, position.line, position.column)

    def is_name(self, token: Token | None = None) -> bool:
        """Whether a token, the next by default, is a name."""
        token = token or self.token
        return token.kind == "name" or (token.kind == "word" and token.word not in RESERVED)

    def name(self, what: str = "a name") -> str:
        """A name."""
        if self.token.kind == "word" and self.token.word in RESERVED:
            hint = f"a name like this keyword needs backticks: `{self.token.text}`"
            raise self.error(f"expected {what}, found {self.token.text}; {hint}")
        if not self.is_name():
            raise self.wrong(what)
        return self.take().text

    def names(self) -> tuple[str, ...]:
        """``(a, b)``."""
        return self.wrapped(lambda: self.name("the name of a column"))

    def placed_names(self) -> tuple[tuple[str, Position], ...]:
        """``(a, b)``, with where each name is."""

        def placed() -> tuple[str, Position]:
            position = self.position
            return self.name("the name of a column"), position

        return self.wrapped(placed)

    def path(self, what: str = "a name") -> tuple[str, ...]:
        """``a``, ``a.b``, ``a.b.c``."""
        parts = [self.name(what)]
        while self.at("."):
            self.take()
            parts.append(self.name(what))
        if len(parts) > 3:
            raise self.error(f"a name has at most three parts, got {'.'.join(parts)}")
        return tuple(parts)

    def at_string(self) -> bool:
        """Whether text in quotes comes next."""
        return self.token.kind in ("string", "unicode")

    def string(self, what: str = "text in single quotes") -> str:
        """Text in quotes. Parts on lines below are one text with it."""
        if not self.at_string():
            raise self.wrong(what)
        made, last = "", None
        while self.at_string() and (last is None or self.position.line > last.position.line):
            last = self.take()
            made += last.text if last.kind == "string" else self._unicode(last)
        return made

    def integer(self, what: str = "a whole number") -> int:
        """A whole number without a sign."""
        if self.token.kind != "number" or not self.token.text.isdigit():
            raise self.wrong(what)
        return int(self.take().text)

    def list_of(self, item: Callable[[], T]) -> tuple[T, ...]:
        """One or more, with commas between them."""
        items = [item()]
        while self.accept(","):
            items.append(item())
        return tuple(items)

    def wrapped(self, item: Callable[[], T]) -> tuple[T, ...]:
        """One or more in parentheses, with commas between them."""
        self.need("(")
        items = self.list_of(item)
        self.need(")")
        return items

    def options(self) -> dict[str, str]:
        """``('key' = 'value', ...)``."""

        def option() -> tuple[str, str]:
            key = self.string("a key in single quotes")
            self.need("=")
            return key, self.string("a value in single quotes")

        self.need("(")
        pairs = () if self.at(")") else self.list_of(option)
        self.need(")")
        return dict(pairs)

    def written(self, start: int) -> str:
        """The text from this token's index to what was taken last."""
        return self.text[self.tokens[start].start : self.tokens[self.index - 1].end]

    def _unicode(self, token: Token) -> str:
        escape = "\\"
        if self.accept("UESCAPE"):
            escape = self.string("the escape character in single quotes")
        try:
            return unescape_unicode(token.text, escape)
        except ValueError as error:
            raise self.error(str(error), token.position) from None


def _quoted(word: str) -> str:
    """A symbol in quotes, so that it is not taken for a part of the sentence."""
    return word if any(map(str.isalnum, word)) else f"'{word}'"


def _listed(words: Sequence[str]) -> str:
    shown = [_quoted(word) for word in words[:12]] + (["..."] if len(words) > 12 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
