"""Dates, times and instants as JSON text: ISO 8601 as RFC 3339 narrows it.

msgspec's own readers round what is finer than a microsecond, and Python's drop it; these refuse it.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from datastream.errors import FormatError, cut
from datastream.time import Instant

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME = re.compile(r"(\d\d:\d\d:\d\d)(?:\.(\d{1,6})0*)?[Zz]?", re.ASCII)
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})0*)?([Zz]|[+-]00:00)?",
    re.ASCII,
)
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})0*)?([Zz]|[+-]\d\d:\d\d)",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)


def date_of(text: str) -> date:
    """``2024-01-31``.

    Raises:
        ValueError: the text is no such date.
    """
    if _DATE.fullmatch(text) is None:
        raise ValueError("write it as 2024-01-31")
    return date.fromisoformat(text)


def time_of(text: str) -> time:
    """``23:59:59``, with up to six digits after a point, and maybe a Z.

    Raises:
        ValueError: the text is no such time.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError("write it as 23:59:59 or 23:59:59.999999")
    return time.fromisoformat(f"{found[1]}.{found[2] or '':0<6}")


def timestamp_of(text: str) -> datetime:
    """``2024-01-31T23:59:59``, with up to six digits after a point, and maybe a Z; a space may stand for the T.

    Raises:
        ValueError: the text is no such timestamp.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise ValueError("write it as 2024-01-31T23:59:59 or 2024-01-31T23:59:59.999999Z, in UTC")
    return datetime.fromisoformat(f"{found[1]}T{found[2]}.{found[3] or '':0<6}")


def local_timestamp_of(text: str) -> datetime:
    """As `timestamp_of`, without a zone.

    Raises:
        ValueError: the text is no such timestamp.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None or found[4]:
        raise ValueError("write it as 2024-01-31T23:59:59 or 2024-01-31T23:59:59.999999, without a zone")
    return timestamp_of(text)


def instant_of(text: str) -> Instant:
    """``2024-01-31T23:59:59Z``, with up to nine digits after a point; an offset such as ``+01:00`` may stand for the Z.

    Raises:
        ValueError: the text is no such point in time.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError("write it as 2024-01-31T23:59:59Z or 2024-01-31T23:59:59.999999999Z")
    since = datetime.fromisoformat(f"{found[1]}T{found[2]}{found[4].upper()}") - _EPOCH_UTC
    return Instant(since.days * 86_400 + since.seconds, int(f"{found[3] or '':0<9}"))


def instant_text(instant: Instant) -> str:
    """The text that `instant_of` reads.

    Raises:
        FormatError: the year is not within 1 to 9999, or the nanoseconds not within a second.
    """
    try:
        moment = _EPOCH + timedelta(seconds=instant.seconds)
    except OverflowError:
        raise FormatError(f"{cut(instant)} is not within the years 1 to 9999, which the text of a date needs") from None
    if not 0 <= instant.nanos < 1_000_000_000:
        raise FormatError(f"{cut(instant)} has nanoseconds that are not within 0 to 999,999,999")
    fraction = f".{instant.nanos:09d}" if instant.nanos else ""
    while fraction.endswith("000"):  # 3, 6 or 9 digits, as Java has it
        fraction = fraction[:-3]
    return f"{moment.isoformat()}{fraction}Z"
