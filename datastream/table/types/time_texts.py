"""Dates and times as text: of the values that they have inside, ints of days or µs."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1)
EPOCH_DAY = date(1970, 1, 1).toordinal()
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
#: Texts that a reader remembers; when there are more, all are forgotten.
_MOST = 4096

_TIMESTAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2}).([0-9]{2}):([0-9]{2}):([0-9]{2})", re.ASCII)
#: As in Java, the digits may be those of any script.
_LOOSE_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
#: The ten days that the calendar does not have, as days since 1970: java.sql.Date takes them for the days ten later.
_SKIPPED = range(-141_437, -141_427)


def date_text(days: int) -> str:
    """``2024-01-31``."""
    return date.fromordinal(days + EPOCH_DAY).isoformat()


def short_time_text(micros: int) -> str:
    """``12:30:00.5``: no zeros at the end of the fraction."""
    seconds, fraction = divmod(micros, _SECOND)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def time_text(micros: int, precision: int) -> str:
    """``12:30:00``; with a precision at least one digit of the fraction."""
    seconds, fraction = divmod(micros, _SECOND)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not precision:
        return text
    digits = f"{fraction:06}"[:precision].rstrip("0") or "0"
    return f"{text}.{digits}"


def timestamp_text(micros: int) -> str:
    """``2024-01-31 12:30:00.5``: no zeros at the end of the fraction."""
    text = (EPOCH + timedelta(0, 0, micros)).isoformat(" ")
    return text.rstrip("0") if len(text) > 19 else text


def iso_text(micros: int) -> str:
    """``2024-01-31T12:30:00.5``."""
    return timestamp_text(micros).replace(" ", "T")


def sql_instant_text(micros: int) -> str:
    """``2024-01-31 12:30:00.5Z``."""
    return timestamp_text(micros) + "Z"


def iso_instant_text(micros: int) -> str:
    """``2024-01-31T12:30:00.5Z``."""
    return iso_text(micros) + "Z"


def read_date(text: str) -> int:
    """Days since 1970 of ``2024-01-31``.

    Raises:
        ValueError: it has another form.
    """
    if len(text) != 10 or text[4] != "-" or text[7] != "-":
        raise ValueError("write it as 2024-01-31")
    return date.fromisoformat(text).toordinal() - EPOCH_DAY


def read_loose_date(text: str) -> int:
    """Days since 1970 of ``2024-1-31``, as java.sql.Date reads it: what a month lacks of 31 days are days of the next.

    Raises:
        ValueError: it has another form.
    """
    found = _LOOSE_DATE.fullmatch(text)
    if found is None or not 1 <= int(found[3]) <= 31:
        raise ValueError("write it as 2024-01-31")
    days = date(int(found[1]), int(found[2]), 1).toordinal() + int(found[3]) - 1 - EPOCH_DAY
    return days + 10 * (days in _SKIPPED)


@lru_cache
def time_reader(precision: int, short: bool = False) -> Callable[[str], int]:
    """A function: ``12:30:00.5`` -> µs of the day; further digits than the precision are cut off.

    It raises ValueError where the text has another form.

    Args:
        precision: Digits of a second; up to 6 are kept.
        short: Whether seconds may be left out, and 24:00:00 is no time.
    """
    kept = min(precision, 6)

    def read(text: str) -> int:
        whole, _, fraction = text.partition(".")
        if short and len(whole) == 5 and len(text) == 5:
            whole += ":00"
        if len(whole) != 8 or whole[2] != ":" or not _digits(fraction):
            raise ValueError("write it as 12:30:00.5")
        if whole == "24:00:00" and not short and not fraction.strip("0"):
            return 0
        found = time.fromisoformat(whole)
        seconds = (found.hour * 60 + found.minute) * 60 + found.second
        return seconds * _SECOND + _micros(fraction[:kept])

    return read


@lru_cache
def timestamp_reader(between: str, precision: int, smart: bool = True) -> Callable[[str], int]:
    """A function: ``2024-01-31 12:30:00.5`` -> µs since 1970; further digits than the precision are cut off.

    It raises ValueError where the text has another form.

    Args:
        between: Date and time: a blank, or ``T``; then seconds may be left out.
        precision: Digits of a second; up to 6 are kept.
        smart: Whether 30 February is that month's last day, and 24:00:00 the next day's begin.
    """
    kept = min(precision, 6)
    mark, unit = f"-{between}:", int(10 ** (6 - kept))
    form = f"write it as 2024-01-31{between}12:30:00.5"
    # Rows that follow each other are mostly of few seconds. Of the usual form, which has 19 characters and perhaps a
    # fraction, both parts that were read are remembered; whatever is known of each, the two together are a timestamp.
    seconds: dict[str, int] = {}
    fractions: dict[str, int] = {}

    def read(text: str) -> int:
        try:
            return seconds[text[:19]] + fractions[text[19:]]
        except KeyError:
            return anew(text)

    def anew(text: str) -> int:
        # Of the many forms that Python reads, these characters and lengths leave one, and one with an offset.
        if text[7:14:3] != mark or not (text[19:20] == "." or len(text) == 19) or len(text) > 26:
            return _unusual_timestamp(text, between, form, smart) // unit * unit
        try:
            found = datetime.fromisoformat(text) - EPOCH
        except TypeError:
            raise ValueError(form) from None
        except ValueError:
            return _unusual_timestamp(text, between, form, smart) // unit * unit
        second, fraction = (found.days * 86_400 + found.seconds) * _SECOND, found.microseconds // unit * unit
        _remember(seconds, text[:19], second)
        _remember(fractions, text[19:], fraction)
        return second + fraction

    return read


def _remember(known: dict[str, int], text: str, value: int) -> None:
    if len(known) >= _MOST:
        known.clear()
    known[text] = value


@lru_cache
def instant_reader(between: str, precision: int) -> Callable[[str], int]:
    """A function: ``2024-01-31 12:30:00.5Z`` -> µs since 1970, as `timestamp_reader` has it."""
    read_local = timestamp_reader(between, precision)

    def read(text: str) -> int:
        if not text.endswith("Z"):
            raise ValueError(f"write it as 2024-01-31{between}12:30:00.5Z")
        return read_local(text[:-1])

    return read


def either_reader(reader: Callable[[str, int], Callable[[str], int]], precision: int) -> Callable[[str], int]:
    """A function that reads both forms, with a blank or a ``T``; blanks around it do not count."""
    plain, iso = reader(" ", precision), reader("T", precision)

    def read(text: str) -> int:
        return iso(text) if "T" in text else plain(text.strip())

    return read


def _unusual_timestamp(text: str, between: str, form: str, smart: bool) -> int:
    whole, _, fraction = text.partition(".")
    if between == "T" and len(whole) == 16 and len(text) == 16:
        whole += ":00"
    found = _TIMESTAMP.fullmatch(whole)
    if found is None or whole[10].upper() != between or not _digits(fraction):
        raise ValueError(form)
    year, month, day, hour, minute, second = map(int, found.groups())
    next_day = smart and hour == 24 and not minute and not second and not fraction.strip("0")
    if smart and 1 <= month <= 12 and 28 < day <= 31:
        day = min(day, monthrange(year, month)[1])
    moment = datetime(year, month, day, 0 if next_day else hour, minute, second) - EPOCH
    return ((moment.days + next_day) * 86_400 + moment.seconds) * _SECOND + _micros(fraction)


def _digits(fraction: str) -> bool:
    return not fraction or (len(fraction) <= 9 and fraction.isascii() and fraction.isdigit())


def _micros(fraction: str) -> int:
    return int(fraction[:6].ljust(6, "0")) if fraction else 0


# -- as Java's toString gives them ------------------------------------------------------------------


def java_time_text(micros: int) -> str:
    """A LocalTime: seconds only where there are some, their fraction in groups of three digits."""
    seconds, fraction = divmod(micros, _SECOND)
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}{_java_seconds(second, fraction)}"


def java_timestamp_text(micros: int) -> str:
    """A LocalDateTime."""
    days, rest = divmod(micros, _DAY)
    return f"{date_text(days)}T{java_time_text(rest)}"


def java_instant_text(micros: int) -> str:
    """An Instant: in UTC, always with seconds."""
    days, rest = divmod(micros, _DAY)
    seconds, fraction = divmod(rest, _SECOND)
    minutes, second = divmod(seconds, 60)
    return f"{date_text(days)}T{minutes // 60:02}:{minutes % 60:02}{_java_seconds(second, fraction, True)}Z"


def java_duration_text(micros: int) -> str:
    """A Duration: ``PT26H3M4.5S``."""
    if not micros:
        return "PT0S"
    minus = "-" if micros < 0 else ""
    seconds, fraction = divmod(abs(micros), _SECOND)
    hours, rest = divmod(seconds, 3600)
    minutes, second = divmod(rest, 60)
    text = "PT" + (f"{minus}{hours}H" if hours else "") + (f"{minus}{minutes}M" if minutes else "")
    if second or fraction:
        text += minus + (f"{second}.{fraction:06}".rstrip("0") if fraction else str(second)) + "S"
    return text


def java_period_text(months: int) -> str:
    """A Period of years and months: ``P1Y2M``."""
    years, rest = divmod(abs(months), 12)
    minus = "-" if months < 0 else ""
    parts = (f"{minus}{years}Y" if years else "") + (f"{minus}{rest}M" if rest else "")
    return "P" + (parts or "0D")


def _java_seconds(second: int, micros: int, always: bool = False) -> str:
    if not micros:
        return f":{second:02}" if second or always else ""
    fraction = f"{micros:06}"
    return f":{second:02}.{fraction.removesuffix('000')}"
