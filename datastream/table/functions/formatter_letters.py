"""What each letter of a pattern of Java's DateTimeFormatter stands for, by how often it is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from datastream.table.functions.formatter_parts import DayPeriod, Number, Text, Zone
from datastream.table.functions.pattern_texts import DAYS, ERAS, MONTHS

_NUMBERS: Mapping[str, str] = {
    **{"y": "YOE", "u": "YEAR", "M": "MONTH", "L": "MONTH", "Q": "QUARTER", "q": "QUARTER", "D": "DOY", "d": "DOM"},
    **{"F": "ADOW", "H": "HOD", "k": "CHOD", "K": "HOAP", "h": "CHOAP", "m": "MINUTE", "s": "SECOND", "S": "NANO"},
    **{"A": "MOD", "n": "NANO", "N": "NOD", "g": "MJD", "e": "LDOW", "c": "LDOW", "w": "WEEK", "W": "WOM", "Y": "WBY"},
}
_ORDINALS = ("1st quarter", "2nd quarter", "3rd quarter", "4th quarter")


def part_of(letter: str, width: int) -> Any:
    """The part of a pattern; a text: why there is none."""
    many = f"the letter {letter!r} appears {width} times, which is too many"
    name = _NUMBERS.get(letter, "")
    match letter:
        case "u" | "y" | "Y" if width == 2:
            return Number(name, 2, 2, reduced=True)
        case "u" | "y":
            return Number(name, width, 19, "normal" if width < 4 else "exceeds") if width < 20 else many
        case "Y":
            return Number(name, width, 19, "normal" if width < 4 else "exceeds")
        case "M" | "L" | "Q" | "q" | "E" | "e" | "c" if width > 2 or letter == "E":
            return _text(letter, width) if width < 6 else many
        case "M" | "L" | "Q" | "q" | "d" | "h" | "H" | "k" | "K" | "m" | "s":
            return (Number(name, 1, 19, "normal") if width == 1 else Number(name, 2, 2)) if width < 3 else many
        case "e" | "c":
            return Number(name, width, width) if letter == "e" or width == 1 else "'cc' is none"
        case "D":
            return Number(name, 1, 19, "normal") if width == 1 else Number(name, width, 3) if width < 4 else many
        case "F":
            return Number(name, 1, 19, "normal") if width == 1 else many
        case "S":
            return Number(name, width, width, fraction=True) if width < 10 else many
        case "A" | "n" | "N" | "g":
            return Number(name, width, 19, "normal" if letter == "g" else "none") if width < 20 else many
        case "W" | "w":
            most = 1 if letter == "W" else 2
            return Number(name, width, most) if width <= most else many
        case "a":
            return Text("AMPM", ("AM", "PM"), 0) if width == 1 else many
        case "G":
            return _text(letter, max(width, 3)) if width < 6 else many
        case "B":
            return DayPeriod(width) if width in (1, 4, 5) else f"the letter 'B' appears {width} times, not 1, 4 or 5"
        case "V" | "v" | "z" | "O" | "X" | "x" | "Z":
            fits = {"V": (2,), "v": (1, 4), "z": (1, 2, 3, 4), "O": (1, 4)}.get(letter, (1, 2, 3, 4, 5))
            if width not in fits:
                return f"the letter {letter!r} appears {width} times, not {' or '.join(map(str, fits))}"
            return Zone(letter, width)
    return f"there is no letter {letter!r}; literal letters are put in quotes: '{letter}'"


def _text(letter: str, width: int) -> Text:
    match letter:
        case "M" | "L":
            return Text("MONTH", [name[: {3: 3, 5: 1}.get(width)] for name in MONTHS], 1)
        case "Q" | "q":
            texts = {3: ("Q1", "Q2", "Q3", "Q4"), 4: _ORDINALS, 5: ("1", "2", "3", "4")}[width]
            return Text("QUARTER", texts, 1)
        case "G":
            return Text("ERA", {4: ERAS[1], 5: ("B", "A")}.get(width, ERAS[0]), 0)
    return Text("DOW", [name[: {4: None, 5: 1}.get(width, 3)] for name in DAYS], 1)
