"""Patterns of Java's DateTimeFormatter, such as ``yyyy-MM-dd HH:mm:ss``, for ints of µs since 1970."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache

from datastream.errors import ValidationError
from datastream.table.functions.text_forms import EPOCH, SECOND

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September") + (
    "October",
    "November",
    "December",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']", re.S)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def _parts(pattern: str) -> Iterator[tuple[str, str]]:
    """Letters with their pattern, or nothing with a literal."""
    end = 0
    for found in _PART.finditer(pattern):
        if found.start() != end:
            break
        end = found.end()
        if found[2]:
            yield found[2], found[0]
        elif found[0][0] == "'":
            yield "", found[1].replace("''", "'") or "'"
        else:
            yield "", found[0]
    if end != len(pattern):
        raise ValidationError(f"date pattern {pattern!r}: a quote is not closed")


def _number(width: int) -> Callable[[int], str]:
    return lambda value: f"{value:0{width}}"


def _shown(letter: str, width: int, pattern: str) -> Callable[[datetime], str]:
    number = _number(width)
    match letter:
        case "y" | "u":
            return (lambda t: f"{t.year % 100:02}") if width == 2 else (lambda t: number(t.year))
        case "M" | "L":
            if width >= 3:
                return lambda t: MONTHS[t.month - 1][: None if width > 3 else 3]
            return lambda t: number(t.month)
        case "E":
            return lambda t: DAYS[t.weekday()][: None if width > 3 else 3]
        case "S":
            return lambda t: f"{t.microsecond:06}000"[:width]
        case "a":
            return lambda t: "AM" if t.hour < 12 else "PM"
        case "Q" | "q":
            return lambda t: f"Q{(t.month + 2) // 3}" if width == 3 else number((t.month + 2) // 3)
    fields: dict[str, Callable[[datetime], int]] = {
        "d": lambda t: t.day,
        "D": lambda t: t.timetuple().tm_yday,
        "H": lambda t: t.hour,
        "k": lambda t: t.hour or 24,
        "h": lambda t: t.hour % 12 or 12,
        "K": lambda t: t.hour % 12,
        "m": lambda t: t.minute,
        "s": lambda t: t.second,
        "e": lambda t: t.isoweekday() % 7 + 1,
        "w": lambda t: t.isocalendar()[1],
    }
    if letter not in fields:
        raise ValidationError(f"date pattern {pattern!r}: the letter {letter!r} is not supported")
    field = fields[letter]
    return lambda t: number(field(t))


@lru_cache(256)
def _formatter(pattern: str) -> tuple[str | Callable[[datetime], str], ...]:
    return tuple(_shown(letter, len(text), pattern) if letter else text for letter, text in _parts(pattern))


def formatted(micros: int, pattern: str) -> str:
    """A TIMESTAMP as text.

    Raises:
        ValidationError: the pattern has a letter that is not supported.
    """
    moment = EPOCH + timedelta(microseconds=micros)
    return "".join(part if isinstance(part, str) else part(moment) for part in _formatter(pattern))


#: Stand for the groups that a pattern has not: its year, its month or day, all others.
_DEFAULTS = ("1970", "1", "0")


def _places(fields: list[tuple[str, int]]) -> tuple[int, ...] | None:
    """Where a match with `_DEFAULTS` behind it has year, month, day, hour, minute, second and fraction.

    None: the pattern has others, or one twice, or names of months, or a year of two digits.
    """
    letters = [letter for letter, _ in fields]
    plain = all(width < 3 for letter, width in fields if letter == "M") and ("y", 2) not in fields
    if not plain or len(set(letters)) < len(letters) or not set(letters) <= set("yMdHmsS"):
        return None
    count = len(letters)
    defaults = (count, count + 1, count + 1, *[count + 2] * 4)
    at = {letter: place for place, letter in enumerate(letters)}
    return tuple(at.get(letter, default) for letter, default in zip("yMdHmsS", defaults, strict=True))


@lru_cache(4096)
def _days(year: str, month: str, day: str) -> int | None:
    """The days since 1970 of a date; the 31st of a shorter month is its last day. None: there is no such date."""
    y, m, d = int(year), int(month), int(day)
    if not 1 <= m <= 12 or not 1 <= d <= 31 or y < 1:
        return None
    return date(y, m, min(d, monthrange(y, m)[1])).toordinal() - _EPOCH_ORDINAL


def _plain(groups: tuple[str, ...], places: tuple[int, ...]) -> int | None:
    year, month, day, hour, minute, second, fraction = [groups[place] for place in places]
    days = _days(year, month, day)
    if days is None:
        return None
    h, m, s = int(hour), int(minute), int(second)
    if h > 23 or m > 59 or s > 59:
        return None
    micros = int(f"{fraction:<06}"[:6])
    return (((days * 24 + h) * 60 + m) * 60 + s) * SECOND + micros


@lru_cache(256)
def _parser(pattern: str) -> tuple[re.Pattern[str], tuple[tuple[str, int], ...], tuple[int, ...] | None]:
    fields: list[tuple[str, int]] = []
    text: list[str] = []
    for letter, part in _parts(pattern):
        width = len(part)
        if not letter:
            text.append(re.escape(part))
            continue
        fields.append((letter, width))
        if letter in "yu":
            text.append(r"([0-9]{2})" if width == 2 else r"([0-9]{1,4})" if width < 4 else r"([0-9]{4})")
        elif letter in "ML" and width >= 3:
            names = MONTHS if width > 3 else tuple(name[:3] for name in MONTHS)
            text.append(f"({'|'.join(names)})")
        elif letter == "E":
            names = DAYS if width > 3 else tuple(name[:3] for name in DAYS)
            text.append(f"({'|'.join(names)})")
        elif letter == "a":
            text.append("([aApP][mM])")
        elif letter == "S":
            text.append(f"([0-9]{{1,{width}}})")
        elif letter in "dDHkhKmsML":
            text.append("([0-9]{1,3})" if letter == "D" else "([0-9]{2})" if width == 2 else "([0-9]{1,2})")
        else:
            raise ValidationError(f"date pattern {pattern!r}: the letter {letter!r} is not supported")
    return re.compile("".join(text)), tuple(fields), _places(fields)


def parsed(text: str, pattern: str) -> int | None:
    """The µs since 1970 of a text; None: it is not in the pattern's form.

    Raises:
        ValidationError: the pattern has a letter that is not supported.
    """
    regex, fields, places = _parser(pattern)
    found = regex.fullmatch(text)
    if found is None:
        return None
    if places is not None:
        return _plain((*found.groups(), *_DEFAULTS), places)
    values = {letter: (part, width) for (letter, width), part in zip(fields, found.groups(), strict=True)}

    def number(letters: str, default: int) -> int:
        return next((int(values[letter][0]) for letter in letters if letter in values), default)

    year = number("yu", 1970)
    if any(values.get(letter, ("", 0))[1] == 2 for letter in "yu"):
        year += 2000
    month = _month(values)
    day = number("d", 1)
    hour = number("H", number("k", 0) % 24)
    if "h" in values or "K" in values:
        hour = number("hK", 0) % 12 + (12 if values.get("a", ("am", 0))[0].lower() == "pm" else 0)
    minute, second = number("m", 0), number("s", 0)
    micros = int(f"{values['S'][0]:<06}"[:6]) if "S" in values else 0
    if not 1 <= month <= 12 or not 1 <= day <= 31 or year < 1 or hour > 23 or minute > 59 or second > 59:
        return None
    days = _days(str(year), str(month), str(day)) or 0
    if "D" in values:
        days = date(year, 1, 1).toordinal() - _EPOCH_ORDINAL + number("D", 1) - 1
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * SECOND + micros


def _month(values: dict[str, tuple[str, int]]) -> int:
    for letter in "ML":
        if letter in values:
            text, width = values[letter]
            if width < 3:
                return int(text)
            return [name[: None if width > 3 else 3] for name in MONTHS].index(text) + 1
    return 1
