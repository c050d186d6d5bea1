"""One record's text a line."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError
from datastream.formats.encoder import Encoder
from datastream.types import TypeInformation
from datastream.types.printed import java_printer


class TextLines(Encoder):
    """Writes the text of a value and a newline.

    Args:
        charset_name: How text becomes bytes.
        record_type: The type of the values, whose text is then Java's, as in Flink. Default: any, and `str(value)`.
    """

    def __init__(self, charset_name: str, record_type: TypeInformation | None = None) -> None:
        try:
            "".encode(charset_name)
        except LookupError:
            raise ValidationError(f"simple_string_encoder: unknown charset {charset_name!r}.") from None
        self._charset = charset_name
        self._text = java_printer(record_type)

    def of_type(self, record_type: TypeInformation | None) -> TextLines:
        """The same for values of a type."""
        return self if record_type is None else TextLines(self._charset, record_type)

    def __reduce__(self) -> Any:  # its function is made anew
        return TextLines, (self._charset,)

    def encode(self, value: Any) -> bytes:
        """Return the encoded text and newline."""
        return f"{self._text(value)}\n".encode(self._charset)
