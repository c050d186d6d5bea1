"""Texts of times that are remembered: the same as those that are made anew."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from datastream.table.functions import shown_times
from datastream.table.functions.date_time_formatter import date_time_formatter

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


def test_a_time_that_cannot_be_shown_fails_each_time() -> None:
    formatter = date_time_formatter("ppy")
    for _ in range(2):
        with pytest.raises(ValueError, match="'2024' is longer than 2"):
            formatter.text(_TIMES[0])


def test_only_so_many_texts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_times, "_MOST", 3)
    made: list[int] = []
    shown = shown_times.ShownTimes(lambda micros: str(made.append(micros) or micros), 10)
    for _ in range(2):
        assert shown.text(5) == shown.text(7) == "5"
    assert made == [5]
    for micros in (10, 20, 30, 5):
        assert shown.text(micros) == str(micros)
    assert made == [5, 10, 20, 30, 5]
