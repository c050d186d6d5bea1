"""Patterns of Java's DateTimeFormatter, which is exact: a text has all digits, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from datastream.errors import ValidationError
from datastream.table.functions import java_calendar as calendar
from datastream.table.functions.formatter_letters import part_of
from datastream.table.functions.formatter_parts import Fields, Literal, Number, Optional, Padded, Zone, read_all
from datastream.table.functions.pattern_texts import pattern_parts, places_of
from datastream.table.functions.resolved_fields import resolve
from datastream.table.functions.shown_times import shown
from datastream.table.functions.text_forms import SECOND


@lru_cache(256)
def date_time_formatter(pattern: str) -> DateTimeFormatter:
    """The formatter of a pattern.

    Raises:
        ValidationError: it is none.
    """
    reason = next((f"{c!r} is reserved" for c in re.sub("'[^']*'", "", pattern) if c in "{}#"), "")
    stack: list[list[Any]] = [[]]
    adjacent: list[Number | None] = [None]
    padding = 0
    for letter, part in pattern_parts(pattern):
        if reason:
            break
        made: Any = None
        if letter == "p":
            padding = len(part)
            continue
        if letter:
            made = part_of(letter, len(part))
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
            stack[-1].append(Optional(inner))
            adjacent[-1] = None
            continue
        else:
            made = Literal(part)
        if padding:
            made, padding = Padded(made, padding), 0
        adjacent[-1] = _joined(adjacent[-1], made)
        stack[-1].append(made)
    if padding and not reason:
        reason = "what is padded must follow the letter p"
    if reason:
        raise ValidationError(f"date pattern {pattern!r}: {reason}; see the patterns of Java's DateTimeFormatter")
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].append(Optional(inner))
    return DateTimeFormatter(pattern, tuple(stack[0]))


def _joined(base: Number | None, made: Any) -> Number | None:
    """What numbers that follow at once take their digits from."""
    if not isinstance(made, Number):
        return None
    if base is not None and made.least == made.most and made.sign == "none":
        base.after += made.most
        return base
    return made


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
        fields: Fields = {}
        if read_all(self.parts, text, 0, fields) != len(text):
            return None
        return resolve(fields)

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
            if isinstance(part, Zone):
                raise ValidationError(
                    f"date pattern {self.pattern!r}: a TIMESTAMP has no time zone for the letter {part.letter!r}"
                )

    @cached_property
    def _shown(self) -> Callable[[int], str]:
        return shown(self.parts)

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


@lru_cache(4096)
def _plain_day(year: str, month: str, day: str) -> int | None:
    """The days since 1970 of a date; None: a closer look is needed."""
    y, m, d = int(year), int(month), int(day)
    return calendar.days_of(y, m, d) if y and 1 <= m <= 12 and 1 <= d <= 28 else None


def _inner(parts: Sequence[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, Padded):
            yield part.part
        elif not isinstance(part, Optional):
            yield part
