"""One JSON value a line."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from datastream.errors import ValidationError, cut
from datastream.formats.encoder import Encoder


class JsonLines(Encoder):
    """Writes a record as one line of JSON."""

    def encode(self, value: Any) -> bytes:
        """Return the JSON text and a newline.

        Raises:
            ValidationError: The record holds something JSON has no form for.
        """
        try:
            text = json.dumps(value, default=_as_json, ensure_ascii=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise ValidationError(f"Cannot write {cut(value)} as JSON: {error}") from error
        return text.encode() + b"\n"


def _as_json(value: Any) -> Any:
    if isinstance(value, (date, datetime, time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    # A row, known by its method: this package does not import the types.
    as_dict = getattr(value, "as_dict", None)
    if as_dict is None:
        raise TypeError(f"no JSON form for a {type(value).__name__}")
    try:
        return as_dict()
    except TypeError:
        return list(value)
