"""What a parallelism may be."""

from __future__ import annotations

from typing import Any

from datastream.errors import ValidationError, cut

MOST_KEY_GROUPS = 32768


def check_parallelism(parallelism: Any) -> None:
    """Refuse what is no number of subtasks.

    Raises:
        ValidationError: It is not a whole number of at least 1.
    """
    if not _whole(parallelism) or parallelism < 1:
        raise ValidationError(f"parallelism must be a whole number of at least 1, got {cut(parallelism)}")


def check_max_parallelism(max_parallelism: Any) -> None:
    """Refuse what is no number of key groups.

    Raises:
        ValidationError: It is not a whole number from 1 to 32768.
    """
    if not _whole(max_parallelism) or not 1 <= max_parallelism <= MOST_KEY_GROUPS:
        raise ValidationError(
            f"max parallelism must be a whole number from 1 to {MOST_KEY_GROUPS}, got {cut(max_parallelism)}"
        )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
