"""What makes a window wrong as it is written."""

from __future__ import annotations

from datastream.errors import ValidationError, cut
from datastream.time import MIN_WATERMARK, Duration, Time
from datastream.whole_numbers import whole_number


def millis(owner: str, name: str, value: Time | Duration) -> int:
    """Return an amount of time in whole ms.

    Raises:
        ValidationError: It is neither a `Time` nor a `Duration`, or not of a finite number.
    """
    if isinstance(value, Time):
        return whole_number(value.to_milliseconds(), f"{owner} takes {name} as a Time of a finite number")
    if isinstance(value, Duration):
        return value.to_millis()
    raise ValidationError(f"{owner} takes {name} as a Time, such as Time.seconds(5): got {cut(value)}.")


def require_above_zero(owner: str, name: str, value: int) -> None:
    """Refuse what is not a whole number above zero.

    Raises:
        ValidationError: The number is something else.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValidationError(f"{owner} needs a whole {name} above zero: got {cut(value)}.")


def require_timestamp(owner: str, timestamp: int | None) -> int:
    """Return a record's timestamp.

    Raises:
        ValidationError: The record has none.
    """
    if timestamp is None or timestamp <= MIN_WATERMARK:
        raise ValidationError(
            f"{owner} go by the timestamps of records, and this record has none. "
            "Give the stream assign_timestamps_and_watermarks(...) before key_by, with a strategy that has "
            ".with_timestamp_assigner(...) unless the source sets timestamps; or use windows of processing time."
        )
    return timestamp
