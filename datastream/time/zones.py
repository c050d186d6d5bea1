"""Time zones: points of time, and what a clock of a zone shows then. Both in µs since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from datastream.errors import ValidationError

_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)

#: Since 1970 clocks are changed at a whole quarter of an hour only.
_QUARTER = 15 * 60 * 1_000_000
#: What lies beyond stands for the begin or the end of time.
_LIMIT = 200 * 366 * 24 * 4 * _QUARTER


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
    """What a clock of the zone shows at a point of time."""
    if zone is UTC:
        return instant
    if 0 <= instant < _LIMIT:
        return instant + _ahead(instant // _QUARTER, zone)
    return _shown(instant, zone)


def instant_micros(local: int, zone: tzinfo, fold: int = 0) -> int:
    """The point of time at which a clock of the zone shows this.

    Args:
        local: What it shows.
        zone: The zone.
        fold: Where it shows it twice: 0 for the first time, 1 for the second.
    """
    if zone is UTC:
        return local
    moment = (_EPOCH + timedelta(microseconds=local)).replace(tzinfo=zone, fold=fold)
    return (moment - _EPOCH_UTC) // _MICRO


def _shown(instant: int, zone: tzinfo) -> int:
    moment = (_EPOCH_UTC + timedelta(microseconds=instant)).astimezone(zone)
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICRO


@lru_cache(4096)
def _ahead(quarter: int, zone: tzinfo) -> int:
    """By how much clocks of the zone are ahead of UTC in a quarter of an hour."""
    return _shown(quarter * _QUARTER, zone) - quarter * _QUARTER


class ZoneClock:
    """When spans of a zone's clock are over, however the clock is changed meanwhile.

    Args:
        name: The zone's.
    """

    def __init__(self, name: str) -> None:
        self._zone = zone_of(name)

    def local(self, instant: int) -> int:
        """What the clock shows."""
        return local_micros(instant, self._zone) if abs(instant) < _LIMIT else instant

    def deadline(self, local: int) -> int:
        """The point of time from which on the clock has passed this for good."""
        first, last = instant_micros(local, self._zone), instant_micros(local, self._zone, 1)
        if first <= last:
            return last
        # It never shows this: it is put forward, from before to behind it.
        first -= first % _QUARTER
        ahead = self.local(first) - first
        while self.local(first - 1) - (first - 1) == ahead:
            first -= _QUARTER
        return first

    def passed(self, instant: int) -> int:
        """The latest that the clock has passed for good: less than it shows while it will be put back."""
        if abs(instant) >= _LIMIT:
            return instant
        shown = self.local(instant)
        if self.deadline(shown) <= instant:
            return shown
        instant -= instant % _QUARTER
        while self.deadline(self.local(instant)) > instant:
            instant -= _QUARTER
        return self.local(instant) + _QUARTER - 1

    def passing(self, instant: int) -> tuple[int, int]:
        """From where to where the clock passes just then, both included: it is nearly always one and the same."""
        return min(self.local(instant - 1) + 1, self.local(instant)), self.local(instant)
