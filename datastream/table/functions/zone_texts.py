"""Texts of offsets and zones, as the letters of Java's DateTimeFormatter read them."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

from datastream.table.functions.zone_names import all_names


@cache
def offset_form(letter: str, width: int) -> re.Pattern[str] | None:
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


def in_range(offset: str) -> bool:
    digits = "".join(c for c in offset if c.isdigit())
    parts = [int(digits[i : i + 2]) for i in range(0, len(digits), 2)] if len(digits) % 2 == 0 else [int(digits[:1])]
    return not parts or (parts[0] * 3600 + sum(p * 60 for p in parts[1:2]) <= 64_800 and all(p < 60 for p in parts[1:]))


_FIXED = re.compile(r"(?:(?:UTC|UT|GMT)(?![0A-Za-z/]))?(?:[+-][0-9]{2}(?::[0-9]{2}(?::[0-9]{2})?)?)?", re.ASCII)


def zone_end(text: str, place: int, letter: str, width: int) -> int:
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
