"""Dates, times and instants as text, in the forms of Java's classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from datastream.errors import cut
from datastream.time import Instant
from datastream.types import (
    DateTypeInfo,
    LocalTimeKind,
    LocalTimeTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TypeInformation,
    Types,
)
from datastream.types.java_text import timestamp_text

from .faults import NoText
from .text import DIGITS, Text

# Python would cut digits after the sixth of a fraction away; only zeros may be.
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,6})?"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(rf"({_CLOCK})0*(Z?)")
#: Java's dates and times may leave out zeros.
_SHORT_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_SHORT_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})")
_TIMESTAMP = re.compile(rf"({_DATE.pattern}[T ]{_CLOCK})0*(Z?)")


def time_text(kind: TypeInformation) -> Text:
    """The text of a date, time, timestamp or instant."""
    match kind:
        case DateTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE):
            fast = "(parse_date({v}) if len({v}) == 10 and {v}[7] == '-' else {read}({v}))"
            return Text(_read_date, date.isoformat, DIGITS + "-", fast, False, "{v}", "type({v}) is date", True)
        case TimeTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_TIME):
            read = _read_time if kind == Types.SQL_TIME() else _reader(_TIME, time.fromisoformat, zone=False)
            return _clock(read, time, DIGITS + ":.", f"{_length(8)} and {{v}}[2] == ':'")
        case TimestampTypeInfo() | LocalTimeTypeInfo(LocalTimeKind.LOCAL_DATE_TIME):
            read = _reader(_TIMESTAMP, datetime.fromisoformat, zone=kind == Types.SQL_TIMESTAMP())
            # Of the many forms that Python reads, these characters and lengths leave one.
            form = f"{_length(19)} and {{v}}[7] == '-' and {{v}}[10] in 'T ' and {{v}}[13] == ':'"
            if kind == Types.SQL_TIMESTAMP():
                return replace(
                    _clock(read, datetime, DIGITS + "-:. ", form), write=timestamp_text, fast_write="", fits=""
                )
            return _clock(read, datetime, DIGITS + "-:.T", form)
    return Text(read_instant, instant_text, DIGITS + "+-:. Z", as_text=True)


def _length(whole: int) -> str:
    """A test: this number of characters, or a fraction of a second after them. Python 3.11 also takes a colon."""
    return f"(len({{v}}) == {whole} or {whole} < len({{v}}) < {whole + 8} and {{v}}[{whole}] in '.,')"


def _clock(read: Callable[[str], Any], cls: Any, alphabet: str, form: str) -> Text:
    name = cls.__name__
    fast = f"(n if {form} and (n := parse_{name}({{v}})).tzinfo is None else {{read}}({{v}}))"
    fits = f"type({{v}}) is {name} and {{v}}.tzinfo is None and not {{v}}.fold"
    return Text(read, cls.isoformat, alphabet, fast, False, "{v}.isoformat()", fits, True)


#: What the expressions of `Text` use.
NAMES = {
    "date": date,
    "time": time,
    "datetime": datetime,
    "parse_date": date.fromisoformat,
    "parse_time": time.fromisoformat,
    "parse_datetime": datetime.fromisoformat,
}


def _read_date(text: str) -> date:
    found = _SHORT_DATE.fullmatch(text)  # Python also reads 20240131 and 2024-W05-3
    if found is None:
        raise ValueError(text)
    return date(int(found[1]), int(found[2]), int(found[3]))


def _read_time(text: str) -> time:
    short = _SHORT_TIME.fullmatch(text)
    return _read_clock(text) if short is None else time(int(short[1]), int(short[2]), int(short[3]))


def _reader(form: re.Pattern[str], parse: Callable[[str], Any], zone: bool) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        found = form.fullmatch(text.strip() if form is _TIMESTAMP else text)
        if found is None or (found[2] and not zone):
            raise ValueError(text)
        return parse(found[1])

    return read


_read_clock = _reader(_TIME, time.fromisoformat, zone=True)


# -- instants ---------------------------------------------------------------------------------------

_INSTANT = re.compile(
    r"([0-9]{4}|[+-][0-9]{4,10})(-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?Z"
)
_EPOCH = datetime(1970, 1, 1)
_START = datetime(2000, 1, 1)
_START_SECONDS = 946_684_800
_CYCLE = 12_622_780_800  # seconds of 400 years, after which the calendar repeats itself
_LEAST, _MOST = -31_557_014_167_219_200, 31_556_889_864_403_199  # of Java's Instant


def instant_text(value: Instant) -> str:
    """The text: 2024-01-31 12:30:00.123Z, with as many digits of the second as it has.

    Raises:
        NoText: it is outside the years -1,000,000,000 to 1,000,000,000 that Java knows, or no point in time.
    """
    if not _LEAST <= value.seconds <= _MOST or not 0 <= value.nanos < 1_000_000_000:
        raise NoText(f"{cut(value)} is not a point in time that Java's Instant can hold")
    cycles, seconds = divmod(value.seconds - _START_SECONDS, _CYCLE)
    moment = _START + timedelta(seconds=seconds)
    year = moment.year + 400 * cycles
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    text = f"{sign}{abs(year):04}{moment.isoformat(' ')[4:]}"
    if value.nanos:
        text += f".{value.nanos:09}".rstrip("0")
    return text + "Z"


def read_instant(text: str) -> Instant:
    """The instant of its text; a fraction has 1 to 9 digits.

    Raises:
        ValueError: it is no such text.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise ValueError(text)
    cycles, year = divmod(int(found[1]) - 2000, 400)
    moment = datetime.fromisoformat(f"{year + 2000}{found[2]}")
    seconds = (moment - _EPOCH) // timedelta(seconds=1) + cycles * _CYCLE
    if not _LEAST <= seconds <= _MOST:
        raise ValueError(text)
    return Instant(seconds, int((found[3] or "").ljust(9, "0")))
