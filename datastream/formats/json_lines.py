"""One JSON value a line."""

from __future__ import annotations

from typing import Any

from datastream.errors import FormatError, ValidationError
from datastream.formats.encoder import Encoder
from datastream.formats.json.plain_values import encode


class JsonLines(Encoder):
    """Writes a record as one line of JSON; see `JsonSerializationSchema` for the forms."""

    def encode(self, value: Any) -> bytes:
        """Return the JSON text and a newline.

        Raises:
            ValidationError: The record holds something JSON has no form for.
        """
        try:
            return encode(value) + b"\n"
        except FormatError as error:
            raise ValidationError(str(error)) from error
