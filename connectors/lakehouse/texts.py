"""Texts of times and errors."""

from __future__ import annotations

import datetime as dt

from datastream.errors import ValidationError, cut


def millis_of(text: str) -> int:
    """A time as ms since 1970.

    Raises:
        ValidationError: It is none.
    """
    try:
        found = dt.datetime.fromisoformat(text)
    except (ValueError, TypeError):
        raise ValidationError(
            f"expected a time such as '2026-01-31', '2026-01-31 12:00:00' or '2026-01-31T12:00:00Z', got {cut(text)}"
        ) from None
    found = found if found.tzinfo is not None else found.replace(tzinfo=dt.UTC)
    return int(found.timestamp() * 1000)


def text_of(millis: int) -> str:
    """A time of ms since 1970, for people."""
    return dt.datetime.fromtimestamp(millis / 1000, dt.UTC).isoformat(" ")


def one_line(error: BaseException) -> str:
    """What an error of a library says, without its colours and lines."""
    text = str(error).replace("\x1b[31m", "").replace("\x1b[0m", "").replace("↳", "")
    return " ".join(text.split())[:600]
