"""Patterns of Java's DateTimeFormatter, which is exact: a text has all digits, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from typing import Any, ClassVar
from zoneinfo import available_timezones

from datastream.errors import ValidationError
from datastream.table.functions import java_calendar as calendar
from datastream.table.functions.pattern_texts import DAYS, ERAS, MONTHS, pattern_parts, places_of
from datastream.table.functions.shown_times import ShownTimes
from datastream.table.functions.text_forms import DAY, SECOND
from datastream.table.functions.zone_names import all_names

_Fields = dict[str, int]
#: A step of reading: text, place, fields -> the next place; negative where the text does not fit.
_Step = Callable[[str, int, _Fields], int]
#: What shows a field: a moment -> text.
_Show = Callable[["Moment"], str]

_NUMBERS: Mapping[str, str] = {
    **{"y": "YOE", "u": "YEAR", "M": "MONTH", "L": "MONTH", "Q": "QUARTER", "q": "QUARTER", "D": "DOY", "d": "DOM"},
    **{"F": "ADOW", "H": "HOD", "k": "CHOD", "K": "HOAP", "h": "CHOAP", "m": "MINUTE", "s": "SECOND", "S": "NANO"},
    **{"A": "MOD", "n": "NANO", "N": "NOD", "g": "MJD", "e": "LDOW", "c": "LDOW", "w": "WEEK", "W": "WOM", "Y": "WBY"},
}
_MOST = {"MONTH": 12, "DOM": 31, "DOY": 366, "HOD": 23, "CHOD": 24, "HOAP": 11, "CHOAP": 12, "MINUTE": 59, "SECOND": 59}
#: Field of the time of day -> for how many µs it stays as it is, at least; all others stay for a day.
_STAYS = {**dict.fromkeys(("HOD", "CHOD", "HOAP", "CHOAP", "AMPM"), 3600 * SECOND), "MINUTE": 60 * SECOND}
_STAYS |= {"SECOND": SECOND, **dict.fromkeys(("NANO", "MOD", "NOD"), 1)}
_MOST |= {"WEEK": 53, "WOM": 6, "NANO": 999_999_999, "MOD": 86_399_999, "NOD": 86_399_999_999_999}
_ORDINALS = ("1st quarter", "2nd quarter", "3rd quarter", "4th quarter")
_DAY_PERIODS = ("midnight", "at night", "in the morning", "noon", "in the afternoon", "in the evening")


@dataclass(frozen=True)
class Moment:
    """A TIMESTAMP, taken apart."""

    year: int
    month: int
    day: int
    days: int
    second_of_day: int
    nano: int

    @property
    def hour(self) -> int:
        return self.second_of_day // 3600

    @property
    def weekday(self) -> int:
        return calendar.weekday_of(self.days)

    def number(self, name: str) -> int:
        """The value of a field of numbers."""
        return _VALUES[name](self)


def moment_of(micros: int) -> Moment:
    """The fields of µs since 1970."""
    seconds, fraction = divmod(micros, SECOND)
    days, second_of_day = divmod(seconds, 86_400)
    return Moment(*calendar.date_of(days), days, second_of_day, fraction * 1000)


def _week(moment: Moment) -> tuple[int, int]:
    """The year that the week is of, and its number; weeks begin on Sunday, the first one has 1 January."""
    year = moment.year + (moment.days >= calendar.week_start(calendar.days_of(moment.year + 1, 1, 1)))
    return year, (moment.days - calendar.week_start(calendar.days_of(year, 1, 1))) // 7 + 1


_VALUES: Mapping[str, Callable[[Moment], int]] = {
    "YOE": lambda m: m.year if m.year > 0 else 1 - m.year,
    "ERA": lambda m: int(m.year > 0),
    "YEAR": lambda m: m.year,
    "MONTH": lambda m: m.month,
    "QUARTER": lambda m: (m.month + 2) // 3,
    "DOY": lambda m: m.days - calendar.days_of(m.year, 1, 1) + 1,
    "DOM": lambda m: m.day,
    "DOW": lambda m: (m.weekday - 2) % 7 + 1,
    "LDOW": lambda m: m.weekday,
    "ADOW": lambda m: (m.day - 1) % 7 + 1,
    "HOD": lambda m: m.hour,
    "CHOD": lambda m: m.hour or 24,
    "HOAP": lambda m: m.hour % 12,
    "CHOAP": lambda m: m.hour % 12 or 12,
    "AMPM": lambda m: m.hour // 12,
    "MINUTE": lambda m: m.second_of_day // 60 % 60,
    "SECOND": lambda m: m.second_of_day % 60,
    "NANO": lambda m: m.nano,
    "MOD": lambda m: m.second_of_day * 1000 + m.nano // 1_000_000,
    "NOD": lambda m: m.second_of_day * 1_000_000_000 + m.nano,
    "MJD": lambda m: m.days + 40_587,
    "WEEK": lambda m: _week(m)[1],
    "WBY": lambda m: _week(m)[0],
    "WOM": lambda m: (m.days - calendar.week_start(calendar.days_of(m.year, m.month, 1))) // 7 + 1,
}


@dataclass
class _Number:
    """A number of the pattern.

    Attributes:
        name: The field.
        least, most: Digits.
        sign: ``normal``, ``none``, or ``exceeds``, with a plus where there are more digits than the least.
        fraction: Whether the digits are those after a point.
        reduced: Whether they are the last ones of a year of 2000 to 2099.
        after: Digits of the numbers that follow at once.
    """

    name: str
    least: int
    most: int
    sign: str = "none"
    fraction: bool = False
    reduced: bool = False
    after: int = 0

    @property
    def stays(self) -> int:
        return _STAYS.get(self.name, DAY)

    def read(self, text: str, place: int, fields: _Fields) -> int:
        sign = text[place : place + 1]
        if sign == "+":
            if self.sign != "exceeds":
                return -1
            place += 1
        elif sign == "-":
            if self.sign == "none":
                return -1
            place += 1
        end = place
        limit = min(place + self.most + self.after, len(text))
        while end < limit and "0" <= text[end] <= "9":
            end += 1
        if self.after:
            end = place + max(self.least, end - place - self.after)
        digits = text[place:end]
        if len(digits) < self.least or not digits.isascii() or not digits.isdigit():
            return -1
        value = int(digits)
        if self.fraction:
            value *= 10 ** (9 - len(digits))
        elif self.reduced:
            value += 2000
        if sign == "-":
            if not value:
                return -1
            value = -value
        elif self.sign == "exceeds" and (len(digits) > self.least) != (sign == "+"):
            return -1
        return _put(fields, self.name, value, end)

    def show(self, moment: Moment) -> str:
        value = moment.number(self.name)
        if self.fraction:
            return f"{value:09}"[: self.most]
        if self.reduced:
            return f"{abs(value) % 100:02}"
        digits = f"{abs(value):0{self.least}}"
        if len(str(abs(value))) > self.most:
            raise ValueError(f"{value} has more than {self.most} digits")
        plus = "+" if self.sign == "exceeds" and len(str(value)) > self.least and value > 0 else ""
        return f"{'-' if value < 0 else plus}{digits}"


def _put(fields: _Fields, name: str, value: int, end: int) -> int:
    return end if fields.setdefault(name, value) == value else -1


@dataclass
class _Text:
    """A name of the pattern: of months, days of the week, eras, halves of the day, quarters."""

    name: str
    texts: Sequence[str]
    first: int

    @property
    def stays(self) -> int:
        return _STAYS.get(self.name, DAY)

    def read(self, text: str, place: int, fields: _Fields) -> int:
        # Of names that are alike, such as the letters of months, Java knows the last one.
        for i, known in reversed(list(enumerate(self.texts, self.first))):
            if text.startswith(known, place):
                return _put(fields, self.name, i, place + len(known))
        return -1

    def show(self, moment: Moment) -> str:
        return self.texts[moment.number(self.name) - self.first]


@dataclass
class _Literal:
    text: str
    stays: ClassVar[int] = DAY

    def read(self, text: str, place: int, fields: _Fields) -> int:
        return place + len(self.text) if text.startswith(self.text, place) else -1

    def show(self, moment: Moment) -> str:
        return self.text


@dataclass
class _DayPeriod:
    """A part of the day, such as "in the morning"."""

    width: int
    stays: ClassVar[int] = 60 * SECOND

    def read(self, text: str, place: int, fields: _Fields) -> int:
        for i, known in enumerate(self._texts()):
            if text.startswith(known, place):
                return _put(fields, "PERIOD", i, place + len(known))
        return -1

    def show(self, moment: Moment) -> str:
        second = moment.second_of_day
        if second < 60:
            return self._texts()[0]
        if second // 60 == 720:
            return self._texts()[3]
        hour = moment.hour
        return self._texts()[1 if hour < 6 or hour >= 21 else 2 if hour < 12 else 4 if hour < 18 else 5]

    def _texts(self) -> tuple[str, ...]:
        return ("mi", *_DAY_PERIODS[1:3], "n", *_DAY_PERIODS[4:]) if self.width == 5 else _DAY_PERIODS


@dataclass
class _Zone:
    """An offset or a zone, which is read and does not count; a TIMESTAMP has none to show."""

    letter: str
    width: int
    stays: ClassVar[int] = DAY

    def read(self, text: str, place: int, fields: _Fields) -> int:
        form = _offset_form(self.letter, self.width)
        if form is not None:
            found = form.match(text, place)
            if found is None or not _in_range(found[0]):
                return -1
            return found.end()
        return _zone_end(text, place, self.letter, self.width)

    def show(self, moment: Moment) -> str:
        raise ValueError("a TIMESTAMP has no time zone")


@dataclass
class _Optional:
    parts: list[Any]

    @property
    def stays(self) -> int:
        return _stay(self.parts)

    def read(self, text: str, place: int, fields: _Fields) -> int:
        tried = dict(fields)
        end = _read_all(self.parts, text, place, tried)
        if end < 0:
            return place
        fields.update(tried)
        return end

    def show(self, moment: Moment) -> str:
        try:
            return "".join([part.show(moment) for part in self.parts])
        except ValueError:
            return ""


@dataclass
class _Padded:
    part: Any
    width: int

    @property
    def stays(self) -> int:
        found: int = self.part.stays
        return found

    def read(self, text: str, place: int, fields: _Fields) -> int:
        end = place + self.width
        if end > len(text):
            return -1
        while place < end and text[place] == " ":
            place += 1
        return end if self.part.read(text[:end], place, fields) == end else -1

    def show(self, moment: Moment) -> str:
        shown: str = self.part.show(moment)
        if len(shown) > self.width:
            raise ValueError(f"{shown!r} is longer than {self.width}")
        return shown.rjust(self.width)


def _stay(parts: Sequence[Any]) -> int:
    """For how many µs what parts show stays as it is, at least."""
    return min((part.stays for part in parts), default=DAY)


def _read_all(parts: Sequence[Any], text: str, place: int, fields: _Fields) -> int:
    for part in parts:
        place = part.read(text, place, fields)
        if place < 0:
            return -1
    return place


@cache
def _offset_form(letter: str, width: int) -> re.Pattern[str] | None:
    """The form of an offset; None: the letter is of zones' names."""
    hour, minute, second = "[+-][0-9]{2}", "[0-9]{2}", "[0-9]{2}"
    forms = [f"{hour}(?:{minute})?", f"{hour}{minute}", f"{hour}:{minute}"]
    forms += [f"{hour}{minute}(?:{second})?", f"{hour}:{minute}(?::{second})?"]
    if letter in "Xx":
        zero = "Z" if letter == "X" else ("[+]00" if width == 1 else "[+]0000" if width % 2 == 0 else "[+]00:00")
        return re.compile(f"{zero}|{forms[width - 1]}", re.ASCII)
    if letter == "Z" and width < 4:
        return re.compile(forms[1], re.ASCII)
    if letter == "Z" and width == 5:
        return re.compile(f"Z|{forms[4]}", re.ASCII)
    if letter == "O" and width == 1:
        return re.compile(r"GMT(?:[+-][0-9]{1,2}(?::[0-9]{2}(?::[0-9]{2})?)?)?", re.ASCII)
    if letter in "ZO":
        return re.compile(r"GMT(?:[+-][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?", re.ASCII)
    return None


def _in_range(offset: str) -> bool:
    digits = "".join(c for c in offset if c.isdigit())
    parts = [int(digits[i : i + 2]) for i in range(0, len(digits), 2)] if len(digits) % 2 == 0 else [int(digits[:1])]
    return not parts or (parts[0] * 3600 + sum(p * 60 for p in parts[1:2]) <= 64_800 and all(p < 60 for p in parts[1:]))


_FIXED = re.compile(r"(?:(?:UTC|UT|GMT)(?![0A-Za-z/]))?(?:[+-][0-9]{2}(?::[0-9]{2}(?::[0-9]{2})?)?)?", re.ASCII)


def _zone_end(text: str, place: int, letter: str, width: int) -> int:
    fixed = _FIXED.match(text, place)
    if fixed is not None and fixed[0]:
        return fixed.end()
    known = _zone_texts(letter, width)
    for end in range(min(len(text), place + 48), place, -1):
        if text[place:end] in known:
            return end
    return place + 1 if text[place : place + 1] == "Z" else -1


@cache
def _zone_texts(letter: str, width: int) -> frozenset[str]:
    """The names that a letter reads."""
    if letter == "V":
        return frozenset(available_timezones())
    long = width == 4
    names = [name[long] for each in all_names() for name in (each.standard, each.summer, each.general)]
    return frozenset((*filter(None, names), *available_timezones()))


@lru_cache(256)
def date_time_formatter(pattern: str) -> DateTimeFormatter:
    """The formatter of a pattern.

    Raises:
        ValidationError: it is none.
    """
    reason = next((f"{c!r} is reserved" for c in re.sub("'[^']*'", "", pattern) if c in "{}#"), "")
    stack: list[list[Any]] = [[]]
    adjacent: list[_Number | None] = [None]
    padding = 0
    for letter, part in pattern_parts(pattern):
        if reason:
            break
        made: Any = None
        if letter == "p":
            padding = len(part)
            continue
        if letter:
            made = _made(letter, len(part))
            if isinstance(made, str):
                reason = made
                break
        elif part == "[" and not padding:
            stack.append([])
            adjacent.append(None)
            continue
        elif part == "]":
            if len(stack) == 1:
                reason = "] has no [ before it"
                break
            inner = stack.pop()
            adjacent.pop()
            stack[-1].append(_Optional(inner))
            adjacent[-1] = None
            continue
        else:
            made = _Literal(part)
        if padding:
            made, padding = _Padded(made, padding), 0
        adjacent[-1] = _joined(adjacent[-1], made)
        stack[-1].append(made)
    if padding and not reason:
        reason = "what is padded must follow the letter p"
    if reason:
        raise ValidationError(f"date pattern {pattern!r}: {reason}; see the patterns of Java's DateTimeFormatter")
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].append(_Optional(inner))
    return DateTimeFormatter(pattern, tuple(stack[0]))


def _joined(base: _Number | None, made: Any) -> _Number | None:
    """What numbers that follow at once take their digits from."""
    if not isinstance(made, _Number):
        return None
    if base is not None and made.least == made.most and made.sign == "none":
        base.after += made.most
        return base
    return made


def _made(letter: str, width: int) -> Any:
    """The part of a pattern; a text: why there is none."""
    many = f"the letter {letter!r} appears {width} times, which is too many"
    name = _NUMBERS.get(letter, "")
    match letter:
        case "u" | "y" | "Y" if width == 2:
            return _Number(name, 2, 2, reduced=True)
        case "u" | "y":
            return _Number(name, width, 19, "normal" if width < 4 else "exceeds") if width < 20 else many
        case "Y":
            return _Number(name, width, 19, "normal" if width < 4 else "exceeds")
        case "M" | "L" | "Q" | "q" | "E" | "e" | "c" if width > 2 or letter == "E":
            return _text(letter, width) if width < 6 else many
        case "M" | "L" | "Q" | "q" | "d" | "h" | "H" | "k" | "K" | "m" | "s":
            return (_Number(name, 1, 19, "normal") if width == 1 else _Number(name, 2, 2)) if width < 3 else many
        case "e" | "c":
            return _Number(name, width, width) if letter == "e" or width == 1 else "'cc' is none"
        case "D":
            return _Number(name, 1, 19, "normal") if width == 1 else _Number(name, width, 3) if width < 4 else many
        case "F":
            return _Number(name, 1, 19, "normal") if width == 1 else many
        case "S":
            return _Number(name, width, width, fraction=True) if width < 10 else many
        case "A" | "n" | "N" | "g":
            return _Number(name, width, 19, "normal" if letter == "g" else "none") if width < 20 else many
        case "W" | "w":
            most = 1 if letter == "W" else 2
            return _Number(name, width, most) if width <= most else many
        case "a":
            return _Text("AMPM", ("AM", "PM"), 0) if width == 1 else many
        case "G":
            return _text(letter, max(width, 3)) if width < 6 else many
        case "B":
            return _DayPeriod(width) if width in (1, 4, 5) else f"the letter 'B' appears {width} times, not 1, 4 or 5"
        case "V" | "v" | "z" | "O" | "X" | "x" | "Z":
            fits = {"V": (2,), "v": (1, 4), "z": (1, 2, 3, 4), "O": (1, 4)}.get(letter, (1, 2, 3, 4, 5))
            if width not in fits:
                return f"the letter {letter!r} appears {width} times, not {' or '.join(map(str, fits))}"
            return _Zone(letter, width)
    return f"there is no letter {letter!r}; literal letters are put in quotes: '{letter}'"


def _text(letter: str, width: int) -> _Text:
    match letter:
        case "M" | "L":
            return _Text("MONTH", [name[: {3: 3, 5: 1}.get(width)] for name in MONTHS], 1)
        case "Q" | "q":
            texts = {3: ("Q1", "Q2", "Q3", "Q4"), 4: _ORDINALS, 5: ("1", "2", "3", "4")}[width]
            return _Text("QUARTER", texts, 1)
        case "G":
            return _Text("ERA", {4: ERAS[1], 5: ("B", "A")}.get(width, ERAS[0]), 0)
    return _Text("DOW", [name[: {4: None, 5: 1}.get(width, 3)] for name in DAYS], 1)


#: As in Java, the digits may be those of any script.
_TIMESTAMP = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?: ([+-]?\d+):([+-]?\d+):([+-]?\d+)(?:\.(\d{1,9}))?)?")


def read_sql_timestamp(text: str) -> int | None:
    """The µs since 1970 of a text as java.sql.Timestamp and Date read it; None: it has another form.

    Each number may be too large: what an hour lacks of 60 minutes are minutes of the next one.
    """
    found = _TIMESTAMP.fullmatch(text.strip())
    if found is None or (found[4] is None) != (" " not in text.strip()):
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    if not year or not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    seconds = calendar.days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return seconds * SECOND + int((found[7] or "").ljust(6, "0")[:6])


_FAST = {"yyyy": "([0-9]{4})", **dict.fromkeys(("MM", "dd", "HH", "mm", "ss"), "([0-9]{2})")}


@dataclass(frozen=True)
class DateTimeFormatter:
    """A pattern.

    Attributes:
        pattern: Its text.
        parts: What reads and shows.
    """

    pattern: str
    parts: tuple[Any, ...]

    def read(self, text: str) -> int | None:
        """The µs since 1970 of a text; what it does not have is that of 1970-01-01 00:00:00. None: it does not fit."""
        if self._fast is not None:
            form, places = self._fast
            found = form.fullmatch(text)
            if found is not None:
                groups = (*found.groups(), "1970", "1", "0")
                year, month, day, hour, minute, second, fraction = [groups[place] for place in places]
                days, h, m, s = _plain_day(year, month, day), int(hour), int(minute), int(second)
                if days is not None and h < 24 and m < 60 and s < 60:
                    micros = int(fraction.ljust(6, "0")[:6]) if fraction != "0" else 0
                    return (((days * 24 + h) * 60 + m) * 60 + s) * SECOND + micros
        fields: _Fields = {}
        if _read_all(self.parts, text, 0, fields) != len(text):
            return None
        return _resolved(fields)

    def text(self, micros: int) -> str:
        """A TIMESTAMP as text.

        Raises:
            ValueError: it has no such field, or it does not fit.
        """
        return self._shown(micros)

    def check_shown(self) -> None:
        """See that a TIMESTAMP can be shown.

        Raises:
            ValidationError: the pattern has a letter of time zones.
        """
        for part in _inner(self.parts):
            if isinstance(part, _Zone):
                raise ValidationError(
                    f"date pattern {self.pattern!r}: a TIMESTAMP has no time zone for the letter {part.letter!r}"
                )

    @cached_property
    def _shown(self) -> Callable[[int], str]:
        """What makes texts; those of parts that change with a second or more seldom are remembered."""
        fine = [i for i, part in enumerate(self.parts) if part.stays < SECOND]
        if not fine:
            return _remembered(self.parts)
        first, last = fine[0], self.parts[fine[-1]]
        if len(fine) > 1 or not isinstance(last, _Number) or not last.fraction:
            return lambda micros: _text_of(self.parts, micros)
        before, after, digits = _remembered(self.parts[:first]), _remembered(self.parts[first + 1 :]), last.most

        def text(micros: int) -> str:
            return f"{before(micros)}{f'{micros % SECOND:06}000'[:digits]}{after(micros)}"

        return text

    @cached_property
    def _fast(self) -> tuple[re.Pattern[str], tuple[int, ...]] | None:
        """The texts of usual patterns, whose fields have all digits; where year, month, ... fraction are."""
        parts, letters = [], ""
        for letter, part in pattern_parts(self.pattern):
            fraction = f"([0-9]{{{len(part)}}})" if letter == "S" else None
            parts.append(_FAST.get(part, fraction) if letter else None if part in "[]" else re.escape(part))
            letters += letter
        if None in parts or len(set(letters)) < len(letters):
            return None
        return re.compile("".join(part or "" for part in parts), re.ASCII), places_of(letters)


def _text_of(parts: Sequence[Any], micros: int) -> str:
    moment = moment_of(micros)
    return "".join([part.show(moment) for part in parts])


def _remembered(parts: Sequence[Any]) -> Callable[[int], str]:
    return ShownTimes(partial(_text_of, parts), _stay(parts)).text


@lru_cache(4096)
def _plain_day(year: str, month: str, day: str) -> int | None:
    """The days since 1970 of a date; None: a closer look is needed."""
    y, m, d = int(year), int(month), int(day)
    return calendar.days_of(y, m, d) if y and 1 <= m <= 12 and 1 <= d <= 28 else None


def _inner(parts: Sequence[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, _Padded):
            yield part.part
        elif not isinstance(part, _Optional):
            yield part


def _resolved(fields: _Fields) -> int | None:
    """The µs since 1970 of what was read, as Java resolves it; None: the fields do not go together."""
    try:
        days = _resolved_date(fields)
        more, second, nano = _resolved_time(fields)
        if days is not None:
            moment = Moment(*calendar.date_of(days), days, second or 0, nano)
            timed = second is not None
            for name, value in fields.items():
                if name in _VALUES and (timed or name not in _OF_TIME) and _VALUES[name](moment) != value:
                    return None
            days += more
        else:
            month, day = fields.get("MONTH", 1), fields.get("DOM", 1)
            year = fields.get("YEAR", 1970)
            if not 1 <= month <= 12 or not 1 <= day <= calendar.month_length(year, month):
                return None
            days = calendar.days_of(year, month, day)
        if second is None:
            second = fields.get("HOD", 0) * 3600 + fields.get("MINUTE", 0) * 60 + fields.get("SECOND", 0)
        return days * DAY + second * SECOND + nano // 1000
    except ValueError:
        return None


_OF_TIME = frozenset(("HOD", "CHOD", "HOAP", "CHOAP", "AMPM", "MINUTE", "SECOND", "NANO", "MOD", "NOD"))


def _checked(name: str, value: int, least: int = 0) -> int:
    if not least <= value <= _MOST[name]:
        raise ValueError(name)
    return value


def _agreed(fields: _Fields, name: str, value: int) -> None:
    if fields.setdefault(name, value) != value:
        raise ValueError(name)


def _resolved_date(fields: _Fields) -> int | None:
    if "MJD" in fields:
        return fields["MJD"] - 40_587
    if "YOE" in fields:
        year = fields.pop("YOE")
        if year < 1:
            raise ValueError("YOE")
        era = fields.pop("ERA", None)
        before = era == 0 or (era is None and fields.get("YEAR", 1) <= 0)
        _agreed(fields, "YEAR", 1 - year if before else year)
    year = fields.get("YEAR", 0)
    if {"YEAR", "MONTH", "DOM"} <= fields.keys():
        month, day = _checked("MONTH", fields.pop("MONTH"), 1), _checked("DOM", fields.pop("DOM"), 1)
        return calendar.days_of(year, month, min(day, calendar.month_length(year, month)))
    if {"YEAR", "DOY"} <= fields.keys():
        day = _checked("DOY", fields["DOY"], 1)
        if day == 366 and not calendar.is_leap(year):
            raise ValueError("DOY")
        return calendar.days_of(year, 1, 1) + day - 1
    weekday = fields.get("LDOW", fields["DOW"] % 7 + 1 if "DOW" in fields else None)
    if weekday is None:
        return None
    if not 1 <= weekday <= 7:
        raise ValueError("LDOW")
    if {"WBY", "WEEK"} <= fields.keys():
        week_year, week, *_ = _taken(fields, "WBY", "WEEK", "DOW", "LDOW")
        begin, end = (calendar.week_start(calendar.days_of(week_year + more, 1, 1)) for more in (0, 1))
        # A week after the last one of its year is the last one.
        return begin + weekday - 1 + 7 * (min(_checked("WEEK", week, 1), (end - begin) // 7) - 1)
    if {"YEAR", "MONTH", "WOM"} <= fields.keys():
        _, month, week, *_ = _taken(fields, "YEAR", "MONTH", "WOM", "DOW", "LDOW")
        first = calendar.days_of(year, _checked("MONTH", month, 1), 1)
        return calendar.week_start(first) + weekday - 1 + 7 * (_checked("WOM", week) - 1)
    return None


def _taken(fields: _Fields, *names: str) -> list[int]:
    """The values of fields that a date is made of, which then is not compared with them."""
    return [fields.pop(name) for name in names if name in fields]


def _resolved_time(fields: _Fields) -> tuple[int, int | None, int]:
    """Days, second of the day, nanosecond; None: the hour is not known."""
    for name, plain, cycle in (("CHOD", "HOD", 24), ("CHOAP", "HOAP", 12)):
        if name in fields:
            _agreed(fields, plain, _checked(name, fields.pop(name)) % cycle)
    if "AMPM" in fields and "HOAP" in fields:
        _agreed(fields, "HOD", fields.pop("AMPM") * 12 + _checked("HOAP", fields.pop("HOAP")))
    for name, unit in (("NOD", 1), ("MOD", 1_000_000)):
        if name in fields:
            nanos = _checked(name, fields.pop(name)) * unit
            _agreed(fields, "HOD", nanos // 3_600_000_000_000)
            _agreed(fields, "MINUTE", nanos // 60_000_000_000 % 60)
            _agreed(fields, "SECOND", nanos // 1_000_000_000 % 60)
            _agreed(fields, "NANO", nanos % 1_000_000_000)
    period = fields.pop("PERIOD", None)
    if period is not None and "HOAP" in fields:
        hour = _checked("HOAP", fields.pop("HOAP"))
        _agreed(fields, "HOD", hour + (12 if _covers(period, (hour + 12) * 60 + fields.get("MINUTE", 0)) else 0))
        period = None
    hour_known = "HOD" in fields
    if not hour_known and not fields.keys() & {"MINUTE", "SECOND", "NANO"}:
        if period is not None:
            middle = (0, 90, 540, 720, 900, 1170)[period]
            return 0, middle * 60, 0
        if "AMPM" in fields:
            return 0, (fields.pop("AMPM") * 12 + 6) * 3600, 0
    hour, minute, second, nano = (fields.get(name, 0) for name in ("HOD", "MINUTE", "SECOND", "NANO"))
    if hour == 24 and hour_known and not minute and not second and not nano:
        del fields["HOD"]
        return 1, 0, 0
    for name in ("HOD", "MINUTE", "SECOND", "NANO", "HOAP"):
        if name in fields:
            _checked(name, fields[name])
    given = fields.keys()
    gap = ("MINUTE" not in given and given & {"SECOND", "NANO"}) or ("SECOND" not in given and "NANO" in given)
    if not hour_known or gap:
        return 0, None, nano
    found = hour * 3600 + minute * 60 + second
    if period is not None and not _covers(period, found // 60):
        raise ValueError("PERIOD")
    return 0, found, nano


def _covers(period: int, minute: int) -> bool:
    ranges = ((0, 1), (1260, 1800), (360, 720), (720, 721), (720, 1080), (1080, 1260))
    start, end = ranges[period]
    return start <= minute < end or start <= minute + 1440 < end
