"""How a CSV text is written: its special characters and the text that represents None."""

from __future__ import annotations

from dataclasses import dataclass

from datastream.errors import ValidationError, cut

COMMENT = "#"

#: As Jackson reads a letter after the escape character; every other character stands for itself.
LETTERS = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}

LINE_ENDS = ("\n", "\r\n", "\r", "")


@dataclass(frozen=True)
class CsvOptions:
    """The dialect of a format.

    Attributes:
        delimiter: Between two fields; one character.
        quote: Around fields that hold special characters; one character, or None: no field is quoted.
        escape: Before a special character that is meant as itself; one character, or None.
        null: The text of None; None: there is none (see `records.Column`).
        array_delimiter: Between the elements of an array or the fields of a nested row; "": there is none, and
            an array has one element at most.
        comments: Whether lines that begin with # are skipped when reading.
        line_end: After a record, when writing.
    """

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    null: str | None = None
    array_delimiter: str = ";"
    comments: bool = False
    line_end: str = "\n"

    def __post_init__(self) -> None:
        self._check_texts()
        if self.escape is not None and self.escape == self.quote:
            object.__setattr__(self, "escape", None)  # a quote before a quote: that is what doubling is
        for name, value in (("delimiter", self.delimiter), ("quote", self.quote), ("escape", self.escape)):
            if value is not None:
                _check_character(name, value, self.comments)
        if len(self.special) != len([c for c in (self.delimiter, self.quote, self.escape) if c is not None]) + 2:
            raise ValidationError(
                f"csv: the delimiter {self.delimiter!r}, the quote {self.quote!r} and the escape {self.escape!r} "
                "must be different characters"
            )
        if self.escape is not None and not self.special.isdisjoint(LETTERS):
            raise ValidationError("csv: n, r, t and 0 have a meaning after an escape character: use other characters")
        if self.line_end not in LINE_ENDS:
            raise ValidationError(rf"csv: the line delimiter must be \n, \r, \r\n or empty, got {self.line_end!r}")
        if self.null is not None:
            self._check_null(self.null)

    def _check_texts(self) -> None:
        may_be_none = ("quote", "escape", "null")
        for name in ("delimiter", "array_delimiter", "line_end", *may_be_none):
            value = getattr(self, name)
            if value is None and name in may_be_none:
                continue
            if not isinstance(value, str):
                raise ValidationError(f"csv: the {name.replace('_', ' ')} must be a str, got {cut(value)}")
            if any("\ud800" <= c <= "\udfff" for c in value):
                raise ValidationError(
                    f"csv: the {name.replace('_', ' ')} {cut(value)} holds half of a surrogate pair, "
                    "which has no form in UTF-8"
                )

    def _check_null(self, null: str) -> None:
        bad = sorted(self.special & set(null))
        if bad:
            raise ValidationError(f"csv: the null literal {null!r} must not hold the special characters {bad}")
        if self.comments and null.startswith(COMMENT):
            raise ValidationError(f"csv: a record that begins with the null literal {null!r} would be a comment")

    @property
    def special(self) -> frozenset[str]:
        """The characters that cannot stand for themselves outside quotes."""
        return frozenset("\r\n").union(c for c in (self.delimiter, self.quote, self.escape) if c is not None)


def _check_character(name: str, value: str, comments: bool) -> None:
    if len(value) != 1 or value in "\r\n":
        raise ValidationError(f"csv: the {name} must be one character and no line end, got {value!r}")
    if comments and value == COMMENT:
        raise ValidationError(f"csv: the {name} cannot be # where comments are allowed")
