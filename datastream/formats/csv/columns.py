"""A field of the records: its value and its text, one at a time and carefully."""

from __future__ import annotations

from typing import Any

from datastream.errors import FormatError, cut
from datastream.types import TypeInformation
from datastream.types.conversion import fit

from .faults import BadText, NoText
from .nested import is_value, nested_text, null_of
from .options import CsvOptions
from .quoting import Quoting
from .text import Text
from .texts import holds_none, text_of


class Quoted(str):
    """The null literal, found in quotes."""

    __slots__ = ()


class Column:
    """Reads and writes one field.

    None is written as the null literal. Where no literal is set an empty field is None, unless the type has a
    value whose text is empty (STRING, bytes, arrays): then None cannot be written. A null literal in quotes is
    a value, if it is the text of one.

    Attributes:
        text: The text of the type.
        null: The null literal of the field; None: it has none.
        ambiguous: The same where it could be a value's text too, else None.
        nullable: Whether None is legal.
        first: Whether it is the first of its record.
        bare: Whether no value of the type ever needs quotes.
    """

    def __init__(
        self, name: str, kind: TypeInformation, options: CsvOptions, nullable: bool, first: bool, reading: bool
    ) -> None:
        text = text_of(kind, reading) or nested_text(kind, options.array_delimiter, options.null, reading)
        if text is None:
            raise FormatError(f"field {name}: {kind!r} has no form in CSV: use fields of single values, rows or arrays")
        self.text: Text = text
        self._name, self._kind, self.first = name, kind, first
        self.nullable = nullable or holds_none(kind)
        self.null = null_of(text, options.null)
        self.ambiguous = self.null if self.null is not None and is_value(text, self.null) else None
        self._quoting = Quoting(options)
        self.bare = (
            text.alphabet is not None
            and self.ambiguous is None
            and not set(text.alphabet) & self._quoting.special
            and (not text.as_text or self._quoting.plain("".join({*text.alphabet})))
        )

    def read(self, text: str) -> Any:
        """The value of a field.

        Raises:
            FormatError: it is not of the type.
        """
        if text == self.null and (self.ambiguous is None or type(text) is str):
            if self.nullable:
                return None
            raise FormatError(f"field {self._name}: expected {self._kind}, found the null literal {cut(text)}")
        try:
            return self.text.read(str(text))
        except BadText as bad:
            path, kind, text = self._name + bad.path, bad.kind, bad.text
        except (ValueError, LookupError, ArithmeticError):
            path, kind = self._name, self._kind
        raise FormatError(f"field {path}: expected {kind}, found {cut(str(text))}")

    def write(self, value: Any) -> str:
        """The field of a value.

        Raises:
            FormatError: it cannot be written so that it is read again.
            TypeMismatch: it does not fit the type.
        """
        if value is None:
            return self._null_field()
        value = fit(value, self._kind, path=self._name)
        try:
            text = self.text.write(value)
            text.encode()
            return self._quoting.field(text, self.ambiguous, self.first, self.text.as_text)
        except NoText as error:
            raise FormatError(f"field {self._name}{error.path}: {error.reason}") from None
        except UnicodeEncodeError:
            raise FormatError(f"field {self._name}: {cut(value)} holds half of a surrogate pair") from None

    def _null_field(self) -> str:
        if not self.nullable:
            raise FormatError(f"field {self._name}: expected {self._kind}, found None, which a tuple cannot hold")
        if self.null is None:
            raise FormatError(
                f"field {self._name}: None would be read as the empty {self._kind}: set a null literal, such as 'null'"
            )
        return self.null
