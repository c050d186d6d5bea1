"""Time zones: points in time, and what a clock of a zone shows then. Both in µs since 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from datastream.errors import ValidationError

_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)

#: Clocks are mostly changed at a whole quarter of an hour.
_QUARTER = 15 * 60 * 1_000_000
#: What lies beyond stands for the begin or the end of time: a day within the years 1 to 9999.
_MIN, _MAX = -62_135_510_400_000_000, 253_402_214_400_000_000
#: By how much what a clock shows may go back.
_BACK = 28 * 4 * _QUARTER

#: The short names of zones that Java knows besides those of the time zone database.
_SHORT = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}


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
            whole = rest.isascii() and hours.isdecimal() and (minutes.isdecimal() or not minutes)
            if whole and int(hours) < 19 and int(minutes or 0) < 60:
                offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
                return timezone(offset if rest[0] == "+" else -offset)
    if name.upper() in ("UTC", "Z", "GMT"):
        return UTC
    try:
        return ZoneInfo(_SHORT.get(name, name))
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValidationError(f"expected a time zone such as 'Europe/Paris' or 'GMT+02:00', got {name!r}") from error


def local_micros(instant: int, zone: tzinfo) -> int:
    """What a clock of the zone shows at a point in time."""
    if zone is UTC:
        return instant
    ahead = _ahead(instant // _QUARTER, zone) if _MIN < instant < _MAX else None
    return _shown(instant, zone) if ahead is None else instant + ahead


def instant_micros(local: int, zone: tzinfo, fold: int = 0) -> int:
    """The point in time at which a clock of the zone shows this.

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
def _ahead(quarter: int, zone: tzinfo) -> int | None:
    """By how much clocks of the zone are ahead of UTC in a quarter of an hour; None: they are changed in it."""
    first, last = quarter * _QUARTER, (quarter + 1) * _QUARTER - 1
    ahead = _shown(first, zone) - first
    return ahead if _shown(last, zone) - last == ahead else None


class ZoneClock:
    """When spans of a zone's clock are over, however the clock is changed meanwhile.

    Args:
        name: The zone's.
    """

    def __init__(self, name: str) -> None:
        self._zone = zone_of(name)

    def local(self, instant: int) -> int:
        """What the clock shows."""
        return local_micros(instant, self._zone) if _MIN < instant < _MAX else instant

    def deadline(self, local: int) -> int:
        """The point in time from which on the clock shows nothing before this any more."""
        if not _MIN < local < _MAX:
            return local
        first, last = instant_micros(local - 1, self._zone), instant_micros(local - 1, self._zone, 1)
        if first <= last:
            return last + 1
        # It never shows this: it is put forward between the two.
        ahead = self.local(first) - first
        while first - last > 1:
            middle = (first + last) // 2
            if self.local(middle) - middle == ahead:
                first = middle
            else:
                last = middle
        return first

    def passed(self, instant: int) -> int:
        """The latest that the clock has passed for good: less than it shows while it will be put back."""
        if not _MIN < instant < _MAX:
            return instant
        shown = self.local(instant)
        if self.deadline(shown) <= instant:
            return shown
        low, high = shown - _BACK, shown
        while high - low > 1:
            middle = (low + high) // 2
            if self.deadline(middle) <= instant:
                low = middle
            else:
                high = middle
        return low

    def passing(self, instant: int) -> tuple[int, int]:
        """From where to where the clock passes just then, both included: it is nearly always one and the same."""
        shown = self.local(instant)
        return min(self.local(instant - 1) + 1, shown), shown
