"""One record's text a line."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError
from datastream.formats.encoder import Encoder


class TextLines(Encoder):
    """Writes `str(value)` and a newline."""

    def __init__(self, charset_name: str) -> None:
        try:
            "".encode(charset_name)
        except LookupError:
            raise ValidationError(f"simple_string_encoder: unknown charset {charset_name!r}.") from None
        self._charset = charset_name

    def encode(self, value: Any) -> bytes:
        """Return the encoded text and newline."""
        return f"{value}\n".encode(self._charset)
