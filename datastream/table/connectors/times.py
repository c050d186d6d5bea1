"""Dates and times as text: of the values that they have inside, ints of days or µs."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

EPOCH = datetime(1970, 1, 1)
EPOCH_DAY = date(1970, 1, 1).toordinal()
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND


def date_text(days: int) -> str:
    """``2024-01-31``."""
    return date.fromordinal(days + EPOCH_DAY).isoformat()


def time_text(micros: int) -> str:
    """``12:30:00.5``: no zeros at the end of the fraction."""
    seconds, fraction = divmod(micros, _SECOND)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


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


def read_time(text: str) -> int:
    """µs of the day of ``12:30:00.5``; digits behind the µs are cut off.

    Raises:
        ValueError: it has another form.
    """
    whole, point, fraction = text.partition(".")
    if len(whole) != 8 or whole[2] != ":" or bool(point) != bool(fraction) or not _digits(fraction):
        raise ValueError("write it as 12:30:00.5")
    found = time.fromisoformat(whole)
    seconds = (found.hour * 60 + found.minute) * 60 + found.second
    return seconds * _SECOND + _micros(fraction)


def read_timestamp(text: str) -> int:
    """µs since 1970 of ``2024-01-31 12:30:00.5``; digits behind the µs are cut off.

    Raises:
        ValueError: it has another form.
    """
    return _timestamp(text, " ", "write it as 2024-01-31 12:30:00.5")


def read_iso(text: str) -> int:
    """µs since 1970 of ``2024-01-31T12:30:00.5``.

    Raises:
        ValueError: it has another form.
    """
    return _timestamp(text, "T", "write it as 2024-01-31T12:30:00.5")


def read_any_timestamp(text: str) -> int:
    """µs since 1970 of a timestamp in either form.

    Raises:
        ValueError: it has another form.
    """
    return read_iso(text) if "T" in text else read_timestamp(text)


def read_sql_instant(text: str) -> int:
    """µs since 1970 of ``2024-01-31 12:30:00.5Z``.

    Raises:
        ValueError: it has another form.
    """
    return _instant(text, " ", "write it as 2024-01-31 12:30:00.5Z")


def read_iso_instant(text: str) -> int:
    """µs since 1970 of ``2024-01-31T12:30:00.5Z``.

    Raises:
        ValueError: it has another form.
    """
    return _instant(text, "T", "write it as 2024-01-31T12:30:00.5Z")


def read_any_instant(text: str) -> int:
    """µs since 1970 of an instant in either form.

    Raises:
        ValueError: it has another form.
    """
    return read_iso_instant(text) if "T" in text else read_sql_instant(text)


def _instant(text: str, between: str, form: str) -> int:
    if not text.endswith("Z"):
        raise ValueError(form)
    return _timestamp(text[:-1], between, form)


def _timestamp(text: str, between: str, form: str) -> int:
    # Of the many forms that Python reads, these characters and lengths leave one, and one with an offset.
    if text[7:14:3] == f"-{between}:" and (text[19:20] == "." or len(text) == 19) and len(text) < 27:
        try:
            found = datetime.fromisoformat(text) - EPOCH
        except TypeError:
            raise ValueError(form) from None
        return (found.days * 86_400 + found.seconds) * _SECOND + found.microseconds
    return _unusual_timestamp(text, between, form)


def _unusual_timestamp(text: str, between: str, form: str) -> int:
    whole, point, fraction = text.partition(".")
    seconds = len(whole) == 19 or (len(whole) == 16 and not point and between == "T")
    fits = seconds and whole[4] == "-" and whole[7] == "-" and whole[10] == between and whole[13] == ":"
    if not fits or bool(point) != bool(fraction) or not _digits(fraction):
        raise ValueError(form)
    found = datetime.fromisoformat(whole) - EPOCH
    return (found.days * 86_400 + found.seconds) * _SECOND + _micros(fraction)


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
