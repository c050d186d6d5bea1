"""Texts of times that follow each other are read as each alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from datastream.table.types import time_texts as times

_HEADS = [
    "2024-02-29 23:59:59",
    "2023-02-29 23:59:59",
    "1969-12-31 23:59:59",
    "2024-01-01T00:00:00",
    "2024-01-01 24:00:00",
]
_HEADS += ["2024-01-01 00:00", "2024-01-01 00:00:0", "2024-W01-1 00:00:00", "٢٠٢٤-01-01 00:00:00"]
_FRACTIONS = [
    "",
    ".",
    ".1",
    ".123",
    ".123456",
    ".1234567",
    ".1234567891",
    "Z",
    ".1Z",
    "+01:00",
    ".5+01:00",
    ". 12",
    ".1_2",
]
_TEXTS = [head + fraction for head in _HEADS for fraction in _FRACTIONS]


@pytest.mark.parametrize("precision", [0, 3, 6, 9])
@pytest.mark.parametrize("smart", [True, False])
def test_texts_in_any_order_are_read_as_alone(precision: int, smart: bool) -> None:
    def alone(text: str) -> int | str:
        return _read(times.timestamp_reader.__wrapped__(" ", precision, smart), text)

    read = times.timestamp_reader.__wrapped__(" ", precision, smart)
    expected = list(map(alone, _TEXTS))
    assert any(isinstance(each, int) for each in expected)
    assert any(isinstance(each, str) for each in expected)
    for _ in range(2):
        assert [_read(read, text) for text in _TEXTS] == expected
    assert [_read(read, text) for text in reversed(_TEXTS)] == expected[::-1]


def test_only_so_many_texts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "_MOST", 5)
    read = times.timestamp_reader.__wrapped__(" ", 6, True)
    for second in (*range(20), *range(20)):
        assert read(f"1970-01-01 00:00:{second:02}.{second:03}") == second * 1_001_000


def _read(read: Callable[[str], int], text: str) -> int | str:
    try:
        return read(text)
    except ValueError as error:
        return str(error)
