"""Patterns of Java's SimpleDateFormat, which is lenient: what follows is ignored, 30 February is 1 or 2 March."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions import java_calendar as calendar
from datastream.table.functions.pattern_texts import DAYS, ERAS, MONTHS, pattern_parts, places_of
from datastream.table.functions.zone_names import all_names, names_of
from datastream.time.zones import zone_of

#: What a text gives: fields by name, the one that was set last at the end.
_Set = dict[str, int]
#: A step of reading: text, place, fields -> the next place; negative where the text does not fit.
_Step = Callable[[str, int, _Set], int]

_LETTERS = "GyMdkHmsSEDFwWahKzZYuXL"
_NUMBER = re.compile(r"-?\d+(?:E-?\d+)?")
_FIELD = {"y": "YEAR", "Y": "WEEK_YEAR", "M": "MONTH", "L": "MONTH", "d": "DOM", "k": "HOD", "H": "HOD", "m": "MINUTE"}
_FIELD |= {"s": "SECOND", "S": "MILLI", "D": "DOY", "F": "DOWIM", "w": "WOY", "W": "WOM", "h": "HOUR", "K": "HOUR"}
_FIELD |= {"u": "DOW"}
_NAMES: Mapping[str, tuple[str, tuple[tuple[str, int], ...]]] = {
    "G": ("ERA", tuple((name, i) for names in ERAS for i, name in enumerate(names))),
    "E": ("DOW", tuple((name[:cut], (i + 1) % 7 + 1) for cut in (None, 3) for i, name in enumerate(DAYS))),
    "M": ("MONTH", tuple((name[:cut], i) for cut in (None, 3) for i, name in enumerate(MONTHS))),
    "a": ("AMPM", (("AM", 0), ("PM", 1))),
}
_NAMES = {**_NAMES, "L": _NAMES["M"]}
_PLAIN = {"yyyy": "([0-9]{4})", **dict.fromkeys(("MM", "dd", "HH", "mm", "ss"), "([0-9]{2})"), "SSS": "([0-9]{3})"}


@lru_cache(256)
def simple_date_format(pattern: str) -> SimpleDateFormat:
    """The format of a pattern.

    Raises:
        ValidationError: it is none.
    """
    parts = tuple(pattern_parts(pattern))
    for letter, text in parts:
        if letter == "X" and len(text) > 3:
            raise ValidationError(f"date pattern {pattern!r}: the letter 'X' appears {len(text)} times, not 1 to 3")
        if letter and letter not in _LETTERS:
            raise ValidationError(
                f"date pattern {pattern!r}: there is no letter {letter!r}; letters that stand for themselves are put "
                f"in quotes: '{letter}'. The letters are {_LETTERS}"
            )
    return SimpleDateFormat(parts)


@dataclass(frozen=True)
class SimpleDateFormat:
    """A pattern.

    Attributes:
        parts: Letters with the text of the pattern, or nothing with a literal.
    """

    parts: tuple[tuple[str, str], ...]
    _century: int = field(default_factory=lambda: datetime.now(UTC).year - 80, compare=False)

    def read(self, text: str, zone: tzinfo) -> int | None:
        """The ms since 1970 UTC of a text; None: it does not fit.

        Args:
            text: The text; what follows is ignored.
            zone: The time zone, where the text names none.
        """
        if self._plain is not None:
            form, places = self._plain
            found = form.fullmatch(text)
            if found is not None:
                groups = (*found.groups(), "1970", "1", "0")
                y, month, day, hour, minute, second, ms = [int(groups[place]) for place in places]
                if y > 1582 and 1 <= month <= 12:
                    days = calendar.days_of(y, month, day)
                    seconds = days * 86_400 + hour * 3600 + minute * 60 + second
                    shift = 0 if zone is UTC else calendar.offset_on_clock(seconds, zone)[0]
                    return (seconds - shift) * 1000 + ms
        return self._read(text, zone)

    def _read(self, text: str, zone: tzinfo) -> int | None:
        fields: _Set = {}
        place = 0
        for step in self._steps:
            place = step(text, place, fields)
            if place < 0:
                return None
        if place == 0:
            return None
        named = _ZONES[fields["NAMED"]] if "NAMED" in fields else zone
        found = _established(fields, named)
        start = datetime.now(UTC).replace(year=self._century)
        if "AMBIGUOUS" in fields and found < start.timestamp() * 1000:
            key = "YEAR" if "YEAR" in fields else "WEEK_YEAR"
            fields[key] += 100
            found = _established(fields, named)
        return found

    def text(self, ms: int, zone: tzinfo, zone_name: str) -> str:
        """A point in time as text.

        Args:
            ms: Since 1970 UTC.
            zone: The time zone.
            zone_name: Its name.
        """
        offset, saving = calendar.offset_at(ms // 1000, zone)
        moment = _Moment(ms + offset * 1000, offset, saving, zone_name)
        return "".join([_shown(letter, len(part), moment) if letter else part for letter, part in self.parts])

    @cached_property
    def _plain(self) -> tuple[re.Pattern[str], tuple[int, ...]] | None:
        """The texts of usual patterns, whose fields have all digits; where year, month, ... milliseconds are."""
        parts = [_PLAIN.get(part) if letter else re.escape(part) for letter, part in self.parts]
        letters = "".join(letter for letter, _ in self.parts)
        if None in parts or len(set(letters)) < len(letters):
            return None
        return re.compile("".join(part or "" for part in parts), re.ASCII), places_of(letters)

    @cached_property
    def _steps(self) -> list[_Step]:
        steps: list[_Step] = []
        for i, (letter, part) in enumerate(self.parts):
            if not letter:
                steps.append(_literal(part))
                continue
            counted = i + 1 < len(self.parts) and bool(self.parts[i + 1][0])
            steps.append(_step(letter, len(part), counted, self._century))
        return steps


def _literal(part: str) -> _Step:
    return lambda text, place, _: place + len(part) if text.startswith(part, place) else -1


def _put(fields: _Set, name: str, value: int) -> None:
    fields.pop(name, None)
    fields[name] = value


def _step(letter: str, width: int, counted: bool, century: int) -> _Step:
    if letter in "GEa" or (letter in "ML" and width > 2):
        read: _Step = _named(*_NAMES[letter])
    elif letter in "zZ":
        read = _zone
    elif letter == "X":
        read = _iso_zone(width)
    else:
        read = _number(letter, width, counted, century)

    def step(text: str, start: int, fields: _Set) -> int:
        place = start
        while place < len(text) and text[place] in " \t":
            place += 1
        if place == len(text):
            return -1
        # As in Java, names are looked for before the blanks, and a count is from there.
        return read(text, start, fields) if read.__name__ in ("names", "number") else read(text, place, fields)

    return step


def _number(letter: str, width: int, counted: bool, century: int) -> _Step:
    name = _FIELD[letter]

    def number(text: str, start: int, fields: _Set) -> int:
        end = start + width if counted else len(text)
        if end > len(text):
            return -1
        begin = start
        while text[begin] in " \t":
            begin += 1
        found = _NUMBER.match(text, begin, end)
        if found is None:
            return -1
        value = _int(found[0])
        match letter:
            case "M" | "L":
                value -= 1
            case "k":
                value = 0 if value == 24 else value
            case "h":
                value = 0 if value == 12 else value
            case "u":
                value = value % 7 + 1 if 1 <= value <= 7 else value
            case "y" | "Y" if width <= 2 and found.end() - begin == 2 and found[0].isdigit():
                if value == century % 100:
                    fields["AMBIGUOUS"] = 1
                value += century // 100 * 100 + (100 if value < century % 100 else 0)
        _put(fields, name, value)
        return found.end()

    return number


def _int(text: str) -> int:
    """A number as Java's int."""
    value = int(Decimal(text)) if len(text) < 40 else (1 << 31) - 1
    if not -(1 << 63) <= value < 1 << 63:
        return (1 << 31) - 1 if value > 0 else -(1 << 31)
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def _named(name: str, texts: Sequence[tuple[str, int]]) -> _Step:
    ordered = sorted(((text.lower(), value) for text, value in texts), key=lambda each: -len(each[0]))

    def names(text: str, start: int, fields: _Set) -> int:
        for known, value in ordered:
            if text[start : start + len(known)].lower() == known:
                _put(fields, name, value)
                return start + len(known)
        return -1

    return names


_OFFSETS = {
    False: re.compile(r"([0-9]{2})([0-9]{2})", re.ASCII),
    True: re.compile(r"([0-9]{1,2}):([0-9]{2})", re.ASCII),
}
_ISO = {1: re.compile(r"([0-9]{2})()", re.ASCII), 2: _OFFSETS[False]}
_ISO[3] = re.compile(r"([0-9]{2}):([0-9]{2})", re.ASCII)
#: Zones that texts have named.
_ZONES: dict[int, Any] = {}


def _offset(text: str, place: int, fields: _Set, form: re.Pattern[str]) -> int:
    found = form.match(text, place + 1)
    if found is None or int(found[1]) > 23 or int(found[2] or 0) > 59:
        return -1
    minutes = int(found[1]) * 60 + int(found[2] or 0)
    fields["OFFSET"] = minutes * 60 * (-1 if text[place] == "-" else 1)
    return found.end()


def _zone(text: str, place: int, fields: _Set) -> int:
    if text[place] in "+-":
        return _offset(text, place, fields, _OFFSETS[False])
    if text[place : place + 3].upper() == "GMT":
        if text[place + 3 : place + 4] in ("+", "-"):
            return _offset(text, place + 3, fields, _OFFSETS[True])
        fields["OFFSET"] = 0
        return place + 3
    for i, each in enumerate(all_names()):
        short, long = each.standard
        for at, name in enumerate((long, short, each.summer[1], each.summer[0])):
            if name and text[place : place + len(name)].lower() == name.lower():
                same = at < 2 and name.lower() == each.summer[1 - at].lower()
                zone = _ZONES.setdefault(i, zone_of(each.zones[0]))
                fields["NAMED"] = i
                saving = _saving(zone) if at > 1 else 0
                if not same and not (at > 1 and not saving):
                    fields["SAVING"] = saving
                return place + len(name)
    return -1


def _saving(zone: tzinfo) -> int:
    year = datetime.now(UTC).year
    return max(calendar.offset_at(calendar.days_of(year, month, 1) * 86_400, zone)[1] for month in (1, 7))


def _iso_zone(width: int) -> _Step:
    def step(text: str, place: int, fields: _Set) -> int:
        if text[place] == "Z":
            fields["OFFSET"] = 0
            return place + 1
        return _offset(text, place, fields, _ISO[width]) if text[place] in "+-" else -1

    return step


def _established(fields: _Set, zone: tzinfo) -> int:
    """The ms since 1970 UTC of fields, as Java's GregorianCalendar makes them."""
    days = _days(fields)
    stamps = {name: i + 1 for i, name in enumerate(fields)}
    of_half = stamps.get("HOUR", 0) and stamps.get("AMPM", 0) and max(stamps["HOUR"], stamps["AMPM"])
    hours = fields.get("HOD", 0)
    if of_half > stamps.get("HOD", 0) or "HOD" not in fields:
        hours = fields.get("HOUR", 0) + 12 * fields.get("AMPM", 0)
    seconds = days * 86_400 + hours * 3600 + fields.get("MINUTE", 0) * 60 + fields.get("SECOND", 0)
    ms = seconds * 1000 + fields.get("MILLI", 0)
    if "OFFSET" in fields:
        return ms - fields["OFFSET"] * 1000
    offset, saving = calendar.offset_on_clock(ms // 1000, zone)
    if "SAVING" in fields:
        offset += fields["SAVING"] - saving
    return ms - offset * 1000


def _days(fields: _Set) -> int:
    if _index(fields, "WEEK_YEAR") > _index(fields, "YEAR"):
        return _day_of_week_date(fields["WEEK_YEAR"], fields.get("WOY", 1), fields.get("DOW", 1))
    year = fields.get("YEAR", 1970)
    if fields.get("ERA") == 0:
        year = 1 - year
    if year > 1582:
        found = _fixed(fields, year, calendar.days_of)
        return found if found >= calendar.CUTOVER else _fixed(fields, year, calendar.julian_days_of)
    julian = _fixed(fields, year, calendar.julian_days_of)
    if year < 1582:
        return julian
    gregorian = _fixed(fields, year, calendar.days_of)
    return gregorian if gregorian >= calendar.CUTOVER else julian


def _day_of_week_date(year: int, week: int, weekday: int) -> int:
    """The days since 1970 of a day of a week."""
    if not 1 <= weekday <= 7:  # Java takes it for the number of a week that begins on Monday, then
        more, number = divmod(weekday - 1, 7)
        week += more
        weekday = (number + 1) % 7 + 1
    days_of = calendar.days_of if year > 1582 else calendar.julian_days_of
    return calendar.week_start(days_of(year, 1, 1)) + weekday - 1 + 7 * (week - 1)


def _index(fields: _Set, name: str) -> int:
    return list(fields).index(name) if name in fields else -1


def _fixed(fields: _Set, year: int, days_of: Callable[[int, int, int], int]) -> int:
    """The days since 1970 by the fields that were set last."""
    stamps = {name: i + 1 for i, name in enumerate(fields)}
    weekday = stamps.get("DOW", 0)

    def both(name: str) -> int:
        return max(stamps[name], weekday) if name in stamps and weekday else 0

    ways = {"DOM": stamps.get("DOM", 0), "WOM": both("WOM"), "DOWIM": both("DOWIM")}
    ways |= {"DOY": stamps.get("DOY", 0), "WOY": both("WOY")}
    best = max(ways.values())
    if not best:
        ways = {"WOM": stamps.get("WOM", 0), "DOWIM": max(stamps.get("DOWIM", 0), weekday), "WOY": stamps.get("WOY", 0)}
        best = max(ways.values())
    way = next((name for name, stamp in ways.items() if stamp == best), "DOM") if best else "DOM"
    if way == "WOM" and ways.get("DOWIM") == best and stamps.get("WOM", 0) < stamps.get("DOWIM", 0):
        way = "DOWIM"
    if way in ("WOM", "DOWIM") and ways.get("WOY") == best and stamps.get(way, 0) < stamps.get("WOY", 0):
        way = "WOY"
    if way == "DOY":
        return days_of(year, 1, 1) + fields["DOY"] - 1
    if way == "WOY":
        start = calendar.week_start(days_of(year, 1, 1)) + fields.get("DOW", 1) - 1
        return start + 7 * (fields["WOY"] - 1)
    years, month = divmod(fields.get("MONTH", 0), 12)
    first = days_of(year + years, month + 1, 1)
    if way == "DOM":
        return first + fields.get("DOM", 1) - 1
    if way == "WOM":
        return calendar.week_start(first) + fields.get("DOW", 1) - 1 + 7 * (fields["WOM"] - 1)
    number = fields.get("DOWIM", 1)
    if number >= 0:
        return calendar.on_or_before(first + 7 * number - 1, fields.get("DOW", 1))
    last = calendar.month_length(year + years, month + 1) + 7 * (number + 1)
    return calendar.on_or_before(first + last - 1, fields.get("DOW", 1))


class _Moment:
    """A time on the clocks of a zone, taken apart."""

    def __init__(self, ms: int, offset: int, saving: int, zone: str) -> None:
        seconds, self.milli = divmod(ms, 1000)
        self.days, seconds = divmod(seconds, 86_400)
        self.hour, self.minute, self.second = seconds // 3600, seconds // 60 % 60, seconds % 60
        self.year, self.month, self.day = calendar.old_date_of(self.days)
        self.weekday = calendar.weekday_of(self.days)
        self.offset, self.saving, self.zone = offset, saving, zone

    def first(self, year: int, month: int = 1) -> int:
        """The days since 1970 of a month's begin."""
        found = calendar.days_of(year, month, 1)
        return found if found >= calendar.CUTOVER else calendar.julian_days_of(year, month, 1)

    def week(self) -> tuple[int, int]:
        """The year that the week is of, and its number."""
        year = self.year + (self.days >= calendar.week_start(self.first(self.year + 1)))
        return year, (self.days - calendar.week_start(self.first(year))) // 7 + 1


def _shown(letter: str, width: int, moment: _Moment) -> str:
    match letter:
        case "y" | "Y":
            year = moment.week()[0] if letter == "Y" else moment.year
            year = year if year > 0 else 1 - year
            return f"{year % 100:02}" if width == 2 else f"{year:0{width}}"
        case "G":
            return ERAS[0][moment.year > 0]
        case "M" | "L" if width > 2:
            return MONTHS[moment.month - 1][: None if width > 3 else 3]
        case "E":
            return DAYS[moment.weekday - 2][: None if width > 3 else 3]
        case "a":
            return "PM" if moment.hour > 11 else "AM"
        case "z":
            return _zone_name(moment, width > 3)
        case "Z" | "X":
            return _offset_text(moment.offset, letter, width)
    return f"{_SHOWN[letter](moment):0{width}}"


_SHOWN: Mapping[str, Callable[[_Moment], int]] = {
    "M": lambda moment: moment.month,
    "L": lambda moment: moment.month,
    "d": lambda moment: moment.day,
    "k": lambda moment: moment.hour or 24,
    "H": lambda moment: moment.hour,
    "m": lambda moment: moment.minute,
    "s": lambda moment: moment.second,
    "S": lambda moment: moment.milli,
    "D": lambda moment: moment.days - moment.first(moment.year) + 1,
    "F": lambda moment: (moment.day - 1) // 7 + 1,
    "w": lambda moment: moment.week()[1],
    "W": lambda moment: (moment.days - calendar.week_start(moment.first(moment.year, moment.month))) // 7 + 1,
    "h": lambda moment: moment.hour % 12 or 12,
    "K": lambda moment: moment.hour % 12,
    "u": lambda moment: (moment.weekday - 2) % 7 + 1,
}


def _zone_name(moment: _Moment, long: bool) -> str:
    names = names_of(moment.zone)
    if names is None:
        return f"GMT{_offset_text(moment.offset, ':', 3)}"
    return (names.summer if moment.saving else names.standard)[long]


def _offset_text(seconds: int, letter: str, width: int) -> str:
    if letter == "X" and not seconds:
        return "Z"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    sign = "-" if seconds < 0 else "+"
    if letter == "X" and width == 1:
        return f"{sign}{hours:02}"
    return f"{sign}{hours:02}{':' if letter != 'Z' and width == 3 else ''}{minutes:02}"
