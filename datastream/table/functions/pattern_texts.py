"""What the date patterns of both of Java's formatters have in common: letters, quotes, and English names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from datastream.errors import ValidationError

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September") + (
    "October",
    "November",
    "December",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ERAS = (("BC", "AD"), ("Before Christ", "Anno Domini"))

_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']", re.S)


def pattern_parts(pattern: str) -> Iterator[tuple[str, str]]:
    """Letters with their text in the pattern, or nothing with a literal.

    Raises:
        ValidationError: a quote is not closed.
    """
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
        raise ValidationError(f"date pattern {pattern!r}: the quote at {end} is not closed")


def places_of(letters: str) -> tuple[int, ...]:
    """Where year, month, day, hour, minute, second and fraction are among groups of letters.

    After the groups stand a year, a month or day, and what all others are where they are not given.
    """
    count = len(letters)
    defaults = (count, count + 1, count + 1, *[count + 2] * 4)
    return tuple(
        letters.index(letter) if letter in letters else place for letter, place in zip("yMdHmsS", defaults, strict=True)
    )
