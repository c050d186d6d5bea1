"""Amounts of time written as text."""

from __future__ import annotations

import re

from datastream.errors import ValidationError, cut

_MS = {
    **dict.fromkeys(("d", "day", "days"), 86_400_000),
    **dict.fromkeys(("h", "hour", "hours"), 3_600_000),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60_000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1000),
    **dict.fromkeys(("", "ms", "milli", "millis", "millisecond", "milliseconds"), 1),
}
#: What is shorter than a millisecond: how many are one.
_PER_MS = {
    **dict.fromkeys(("µs", "micro", "micros", "microsecond", "microseconds"), 1000),
    **dict.fromkeys(("ns", "nano", "nanos", "nanosecond", "nanoseconds"), 1_000_000),
}
#: ISO 8601, as Java writes it: ``PT1H30M``.
_ISO = re.compile(r"p(?:(\d+)d)?(?:t(?=\d)(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)(?:\.(\d{0,9}))?s)?)?")


def parse_duration_ms(key: str, value: object) -> int:
    """Return an amount such as `200`, `200 ms`, `3 min`, `1d` or `PT3M` in ms; a bare number is in ms.

    Raises:
        ValidationError: The value of `key` is no such amount.
    """
    text = str(value).strip().lower()
    if (iso := _ISO.fullmatch(text)) and any(iso.groups()):
        days, hours, minutes, seconds = (int(each or 0) for each in iso.groups()[:4])
        return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + int((iso[5] or "").ljust(3, "0")[:3])
    found = re.fullmatch(r"(\d+)\s*([a-zµ]*)", text)
    if found is not None and found.group(2) in _PER_MS:
        return int(found.group(1)) // _PER_MS[found.group(2)]
    if found is None or found.group(2) not in _MS:
        raise ValidationError(
            f"Config '{key}' is {cut(value)}: expected an amount of time such as '200 ms' or '3 min'."
        )
    return int(found.group(1)) * _MS[found.group(2)]


def duration_text(duration_ms: int) -> str:
    """An amount in ms with the largest unit that it is a multiple of, as Flink writes it: ``2 h``."""
    for unit, unit_ms in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if duration_ms and duration_ms % unit_ms == 0:
            return f"{duration_ms // unit_ms} {unit}"
    return f"{duration_ms} ms"
