"""A text as a field of a line: as it is, in quotes, or with escapes.

Where quotes are enabled, a text gets them as Flink's CSV library, Jackson, sets them: if it is longer than 24
characters, or holds one that is not above the delimiter, the quote and the characters of line ends. With commas,
texts with blanks are in quotes.
"""

from __future__ import annotations

import re

from datastream.errors import cut

from .faults import NoText
from .options import COMMENT, CsvOptions

_ESCAPED_LINE_ENDS = {"\r": "r", "\n": "n"}


#: A longer text is in quotes, whatever it holds.
MOST_BARE = 24


class Quoting:
    """Writes fields.

    Attributes:
        special: The characters that cannot stand for themselves outside quotes.
        highest: The highest character that puts a text in quotes, as all lower ones do. None: there are no quotes.
    """

    def __init__(self, options: CsvOptions) -> None:
        self.special = options.special
        self.highest = None if options.quote is None else max("\r", "\n", options.delimiter, options.quote)
        self._unsafe = self._special = re.compile("[" + "".join(map(re.escape, sorted(self.special))) + "]")
        if self.highest is not None:
            above = "".join(re.escape(char) for char in sorted(self.special) if char > self.highest)
            self._unsafe = re.compile(f"[\\x00-{re.escape(self.highest)}{above}]")
        self._quote, self._escape = options.quote, options.escape

    def plain(self, text: str) -> bool:
        """Whether a text of any characters is written without quotes."""
        return (self.highest is None or len(text) <= MOST_BARE) and self._unsafe.search(text) is None

    def field(self, text: str, literal: str | None, first: bool, any_text: bool = True) -> str:
        """A text as a field.

        Args:
            text: Of a value.
            literal: The text of None, which means itself in quotes only; None: there is none.
            first: Whether it begins its line: in quotes where that would make it a comment.
            any_text: Whether it is a text of any characters, and no number or time.

        Raises:
            NoText: it cannot be written.
        """
        comment = first and text.startswith(COMMENT)
        special = not self.plain(text) if any_text else self._special.search(text) is not None
        if not special and text != literal and not comment:
            return text
        if self._quote is not None:
            return self.quoted(text)
        escape = self._escape
        if text == literal:
            raise NoText(f"{cut(text)} is the null literal, and quotes are disabled: use another literal")
        if escape is not None:
            text = self._special.sub(lambda found: escape + _ESCAPED_LINE_ENDS.get(found[0], found[0]), text)
            return escape + text if comment else text
        if special:
            raise NoText(f"{cut(text)} holds a delimiter or a line end, but quotes are disabled: enable them")
        return text  # a comment only to a reader that is told to allow comments

    def quoted(self, text: str) -> str:
        """A text in quotes, where there are any."""
        quote, escape = self._quote or "", self._escape
        if escape is not None:
            text = text.replace(escape, escape * 2)
        return quote + text.replace(quote, quote * 2) + quote
