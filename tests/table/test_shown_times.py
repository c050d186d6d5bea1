"""Texts of times that are remembered: the same as those that are made anew."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from datastream.errors import FormatError
from datastream.table.functions import shown_times
from datastream.table.functions.date_time_formatter import date_time_formatter
from datastream.table.functions.formatter_parts import stay
from datastream.table.functions.temporal import formatted_times
from datastream.table.functions.text_forms import DAY, SECOND

#: µs: beginnings of a day, half-day, hour, minute and second, moments before and after them, and before 1970.
_BEGINNINGS = [
    "2024-02-28T23:59:59",
    "2024-03-01",
    "2024-12-31T12:00:00",
    "1969-12-31T23:59:59",
    "1970-01-01",
    "0999-07-04",
]
_TIMES = [
    (datetime.fromisoformat(text) - datetime(1970, 1, 1)) // timedelta(microseconds=1) + more
    for text in _BEGINNINGS
    for more in (-60_000_000, -1_000_000, -1, 0, 1, 1_000, 999_999, 60_000_000, 3_600_000_000)
]


@pytest.mark.parametrize(
    "pattern",
    [
        "yyyy-MM-dd",
        "HH:mm",
        "HH",
        "a h",
        "ss",
        "EEEE G",
        "B h",
        "yyyy-MM-dd HH:mm:ss.SSS",
        "SSSSSSS 'of' ss",
        "S S",
        "n",
    ]
    + ["A", "[HH]:[ss]", "pppH", "pppps", "ppppS", "'only text'", "YYYY ww e", "[n]"],
)
def test_times_in_any_order_are_shown_as_alone(pattern: str) -> None:
    def alone(micros: int) -> str:
        return date_time_formatter.__wrapped__(pattern).text(micros)

    shown = date_time_formatter(pattern).text
    expected = list(map(alone, _TIMES))
    assert len(set(expected)) > 1 or pattern == "'only text'"
    assert list(map(shown, _TIMES)) == expected
    assert list(map(shown, reversed(_TIMES))) == expected[::-1]
    unit = stay(date_time_formatter(pattern).parts)
    if unit >= SECOND:
        assert [formatted_times(pattern)[micros // unit] for micros in _TIMES] == expected


def test_a_time_that_cannot_be_shown_fails_each_time() -> None:
    formatter = date_time_formatter("ppy")
    for _ in range(2):
        with pytest.raises(ValueError, match="'2024' is longer than 2"):
            formatter.text(_TIMES[0])
        with pytest.raises(
            FormatError, match="DATE_FORMAT: the pattern 'ppy' cannot show a TIMESTAMP: '2024' is longer"
        ):
            formatted_times("ppy")[_TIMES[0] // DAY]


def test_only_so_many_texts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_times, "_MOST", 3)
    made: list[int] = []
    shown = shown_times.TextsOfTimes(lambda micros: str(made.append(micros) or micros), 10)
    for place in (-1, -1, 1, 2, 3, -1, 3):
        assert shown[place] == str(place * 10)
    assert made == [-10, 10, 20, 30, -10]
