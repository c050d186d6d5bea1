"""Texts of times, remembered: those of rows that follow each other are mostly of the same second, minute or day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from datastream.table.functions.formatter_parts import Number, stay
from datastream.table.functions.moments import moment_of
from datastream.table.functions.text_forms import SECOND

#: Texts that are remembered; when there are more, all are forgotten.
_MOST = 4096


class TextsOfTimes(dict[int, str]):
    """Texts of times, by the quotient of their µs since 1970 by a unit; one that is not there is made.

    Args:
        show: The text of µs since 1970. What it raises is not remembered.
        unit: Times with the same quotient by so many µs have the same text.
    """

    def __init__(self, show: Callable[[int], str], unit: int) -> None:
        self._show = show
        self._unit = unit

    def __missing__(self, place: int) -> str:
        found = self._show(place * self._unit)
        if len(self) >= _MOST:
            self.clear()
        self[place] = found
        return found


def shown(parts: Sequence[Any]) -> Callable[[int], str]:
    """A function: µs since 1970 -> what the parts of a pattern show of them.

    Texts of parts that change with a second or more seldom are remembered.
    """
    fine = [i for i, part in enumerate(parts) if part.stays < SECOND]
    if not fine:
        return _remembered(parts)
    first, last = fine[0], parts[fine[-1]]
    if len(fine) > 1 or not isinstance(last, Number) or not last.fraction:
        return lambda micros: _text_of(parts, micros)
    before, after, digits = _remembered(parts[:first]), _remembered(parts[first + 1 :]), last.most

    def text(micros: int) -> str:
        return f"{before(micros)}{f'{micros % SECOND:06}000'[:digits]}{after(micros)}"

    return text


def _text_of(parts: Sequence[Any], micros: int) -> str:
    moment = moment_of(micros)
    return "".join([part.show(moment) for part in parts])


def _remembered(parts: Sequence[Any]) -> Callable[[int], str]:
    unit = stay(parts)
    texts = TextsOfTimes(partial(_text_of, parts), unit)
    return lambda micros: texts[micros // unit]
