"""The session's time zone, which stands between TIMESTAMP_LTZ and dates, times and text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from datastream.errors import ValidationError

#: The name by which the text of functions and casts calls the zone. Entries bind it to UTC; whoever generates code
#: for a session with another zone binds it to `zone_of` of its name.
SESSION_ZONE = "session_zone"

_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)


@lru_cache(256)
def zone_of(name: str) -> tzinfo:
    """The time zone of a name such as ``Europe/Paris``, ``UTC`` or ``GMT-08:00``.

    Raises:
        ValidationError: there is none.
    """
    for prefix in ("GMT", "UTC", ""):
        rest = name.removeprefix(prefix)
        if name.startswith(prefix) and rest[:1] in ("+", "-"):
            hours, _, minutes = rest[1:].partition(":")
            if hours.isdigit() and (minutes.isdigit() or not minutes) and int(hours) < 19:
                offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
                return timezone(offset if rest[0] == "+" else -offset)
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValidationError(f"expected a time zone such as 'Europe/Paris' or 'GMT+02:00', got {name!r}") from error


def local_micros(instant: int, zone: tzinfo) -> int:
    """What a clock of the zone shows at a point of time, as µs since 1970."""
    if zone is UTC:
        return instant
    moment = (_EPOCH_UTC + timedelta(microseconds=instant)).astimezone(zone)
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICRO


def instant_micros(local: int, zone: tzinfo) -> int:
    """The point of time at which a clock of the zone shows this; the earlier one where it shows it twice."""
    if zone is UTC:
        return local
    moment = (_EPOCH + timedelta(microseconds=local)).replace(tzinfo=zone)
    return (moment - _EPOCH_UTC) // _MICRO
