"""The parts of a pattern of Java's DateTimeFormatter: each reads its piece of a text, and shows it of a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from datastream.table.functions.moments import Moment
from datastream.table.functions.text_forms import DAY, SECOND
from datastream.table.functions.zone_texts import in_range, offset_form, zone_end

#: Fields that were read, by name.
Fields = dict[str, int]
#: Field of the time of day -> for how many µs it stays as it is, at least; all others stay for a day.
_STAYS = {**dict.fromkeys(("HOD", "CHOD", "HOAP", "CHOAP", "AMPM"), 3600 * SECOND), "MINUTE": 60 * SECOND}
_STAYS |= {"SECOND": SECOND, **dict.fromkeys(("NANO", "MOD", "NOD"), 1)}
_DAY_PERIODS = ("midnight", "at night", "in the morning", "noon", "in the afternoon", "in the evening")


@dataclass
class _OfField:
    """A part that a field decides.

    Attributes:
        name: The field.
    """

    name: str

    @property
    def stays(self) -> int:
        """For how many µs what it shows stays as it is, at least."""
        return _STAYS.get(self.name, DAY)


@dataclass
class Number(_OfField):
    """A number of the pattern.

    Attributes:
        least, most: Digits.
        sign: ``normal``, ``none``, or ``exceeds``, with a plus where there are more digits than the least.
        fraction: Whether the digits are those after a point.
        reduced: Whether they are the last ones of a year of 2000 to 2099.
        after: Digits of the numbers that follow at once.
    """

    least: int
    most: int
    sign: str = "none"
    fraction: bool = False
    reduced: bool = False
    after: int = 0

    def read(self, text: str, place: int, fields: Fields) -> int:
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


def _put(fields: Fields, name: str, value: int, end: int) -> int:
    return end if fields.setdefault(name, value) == value else -1


@dataclass
class Text(_OfField):
    """A name of the pattern: of months, days of the week, eras, halves of the day, quarters."""

    texts: Sequence[str]
    first: int

    def read(self, text: str, place: int, fields: Fields) -> int:
        # Of names that are alike, such as the letters of months, Java knows the last one.
        for i, known in reversed(list(enumerate(self.texts, self.first))):
            if text.startswith(known, place):
                return _put(fields, self.name, i, place + len(known))
        return -1

    def show(self, moment: Moment) -> str:
        return self.texts[moment.number(self.name) - self.first]


@dataclass
class Literal:
    text: str
    stays: ClassVar[int] = DAY

    def read(self, text: str, place: int, fields: Fields) -> int:
        return place + len(self.text) if text.startswith(self.text, place) else -1

    def show(self, moment: Moment) -> str:
        return self.text


@dataclass
class DayPeriod:
    """A part of the day, such as "in the morning"."""

    width: int
    stays: ClassVar[int] = 60 * SECOND

    def read(self, text: str, place: int, fields: Fields) -> int:
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
class Zone:
    """An offset or a zone, which is read and does not count; a TIMESTAMP has none to show."""

    letter: str
    width: int
    stays: ClassVar[int] = DAY

    def read(self, text: str, place: int, fields: Fields) -> int:
        form = offset_form(self.letter, self.width)
        if form is not None:
            found = form.match(text, place)
            if found is None or not in_range(found[0]):
                return -1
            return found.end()
        return zone_end(text, place, self.letter, self.width)

    def show(self, moment: Moment) -> str:
        raise ValueError("a TIMESTAMP has no time zone")


@dataclass
class Optional:
    parts: list[Any]

    @property
    def stays(self) -> int:
        return stay(self.parts)

    def read(self, text: str, place: int, fields: Fields) -> int:
        tried = dict(fields)
        end = read_all(self.parts, text, place, tried)
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
class Padded:
    part: Any
    width: int

    @property
    def stays(self) -> int:
        found: int = self.part.stays
        return found

    def read(self, text: str, place: int, fields: Fields) -> int:
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


def stay(parts: Sequence[Any]) -> int:
    """For how many µs what parts show stays as it is, at least."""
    return min((part.stays for part in parts), default=DAY)


def read_all(parts: Sequence[Any], text: str, place: int, fields: Fields) -> int:
    for part in parts:
        place = part.read(text, place, fields)
        if place < 0:
            return -1
    return place
